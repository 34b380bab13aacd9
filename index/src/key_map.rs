//! Which of up to 64 segments have a key.
//!
//! ```text
//! entry of a key   count: u8; count <= 4: the segments, u8 each; else 255 and a bit for each segment: u64
//! ```

use crate::directory::{DirectoryWriter, Entry};
use crate::packed::{Malformed, take, take_u64};

/// Segments under one map.
pub const SEGMENTS: usize = 64;
const INLINE: u32 = 4;
const BITMAP: u8 = 255;

/// The segments that have a key, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentSet(pub u64);

impl<'a> Entry<'a> for SegmentSet {
    fn take(entries: &mut &'a [u8], _lists: &mut &'a [u8]) -> Result<Self, Malformed> {
        let count = take(entries, 1)?[0];
        if count == BITMAP {
            return Ok(Self(take_u64(entries)?));
        }
        let segments = take(entries, usize::from(count))?;
        Ok(Self(segments.iter().fold(0, |set, segment| set | 1 << (segment & 63))))
    }
}

/// Collects the keys of up to 64 segments.
#[derive(Debug, Default)]
pub struct KeyMapWriter {
    pairs: Vec<(u64, u8)>,
}

impl KeyMapWriter {
    /// Adds the keys of a segment.
    pub fn add(&mut self, segment: u8, keys: impl Iterator<Item = u64>) {
        self.pairs.extend(keys.map(|key| (key, segment)));
    }

    /// How many keys were added, those of each segment for themselves.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The map as it lies in the index; begins anew.
    pub fn finish(&mut self) -> Vec<u8> {
        // Those of each segment ascend, which the stable sort makes use of.
        self.pairs.sort();
        let mut directory = DirectoryWriter::default();
        for pairs in self.pairs.chunk_by(|one, other| one.0 == other.0) {
            let set = pairs.iter().fold(0u64, |set, (_, segment)| set | 1 << segment);
            directory.push(pairs[0].0, |entries, _| {
                if set.count_ones() <= INLINE {
                    entries.push(pairs.len() as u8);
                    entries.extend(pairs.iter().map(|(_, segment)| *segment));
                } else {
                    entries.push(BITMAP);
                    entries.extend_from_slice(&set.to_le_bytes());
                }
            });
        }
        self.pairs.clear();
        let mut bytes = Vec::new();
        directory.finish(&mut bytes);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::Directory;

    #[test]
    fn a_key_gives_the_segments_that_have_it() {
        let mut writer = KeyMapWriter::default();
        for segment in 0..64 {
            writer.add(segment, [7, 100 + u64::from(segment / 2)].into_iter());
        }
        let bytes = writer.finish();
        let map = Directory::new(&bytes).unwrap();
        assert_eq!(map.find(7).unwrap(), Some(SegmentSet(u64::MAX)));
        assert_eq!(map.find(101).unwrap(), Some(SegmentSet(0b1100)));
        assert_eq!(map.find::<SegmentSet>(99).unwrap(), None);
    }
}
