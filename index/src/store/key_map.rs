//! Maps from keys to the segments that contain them, for up to 64 segments each.
//!
//! ```text
//! entry of a key   count: u8; count <= 4: the segments, u8 each;
//!                  else 255, a bit for each segment: u64, and the gist
//! gist             of a memory block: masks of the bytes that these segments read, write,
//!                  find changed by others: u64 each;
//!                  of an address: nothing
//! ```
//! The gist avoids searching each segment for bytes that no segment touches: the first half of a
//! block may be written in all 64 segments, and its second half in none.

use crate::store::directory::{DirectoryEntry, DirectoryWriter};
use crate::store::granules::{TouchCoverage, TouchMasks};
use crate::store::packed::{MalformedEncoding, take, take_u64};

/// A key of a map.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SegmentKey {
    /// A memory block: address / 64.
    Granule(u64),
    /// The address of an instruction.
    Pc(u64),
}

/// Number of segments per map.
pub const SEGMENTS: usize = 64;
const INLINE: u32 = 4;
const BITMAP: u8 = 255;

/// Summary of a key for all segments that contain it.
pub trait KeySummary: Copy + Default {
    /// Merges the summary of another segment.
    fn join(&mut self, other: Self);
    /// Appends the encoded summary.
    fn push(self, entries: &mut Vec<u8>);
    /// Takes an encoded summary off the front.
    fn take(entries: &mut &[u8]) -> Result<Self, MalformedEncoding>;
}

impl KeySummary for () {
    fn join(&mut self, _other: ()) {}

    fn push(self, _entries: &mut Vec<u8>) {}

    fn take(_entries: &mut &[u8]) -> Result<Self, MalformedEncoding> {
        Ok(())
    }
}

impl KeySummary for TouchCoverage {
    fn join(&mut self, other: Self) {
        self.masks.read |= other.masks.read;
        self.masks.write |= other.masks.write;
        self.external |= other.external;
    }

    fn push(self, entries: &mut Vec<u8>) {
        for mask in [self.masks.read, self.masks.write, self.external] {
            entries.extend_from_slice(&mask.to_le_bytes());
        }
    }

    fn take(entries: &mut &[u8]) -> Result<Self, MalformedEncoding> {
        let masks = TouchMasks {
            read: take_u64(entries)?,
            write: take_u64(entries)?,
        };
        Ok(Self {
            masks,
            external: take_u64(entries)?,
        })
    }
}

/// Segments that contain a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentSet<G> {
    /// One bit per segment.
    pub segments: u64,
    /// Summary; `None` if there are few enough segments to search each of them.
    pub gist: Option<G>,
}

impl<'a, G: KeySummary> DirectoryEntry<'a> for SegmentSet<G> {
    fn take(entries: &mut &'a [u8], _lists: &mut &'a [u8]) -> Result<Self, MalformedEncoding> {
        let count = take(entries, 1)?[0];
        if count == BITMAP {
            return Ok(Self {
                segments: take_u64(entries)?,
                gist: Some(G::take(entries)?),
            });
        }
        let segments = take(entries, usize::from(count))?;
        Ok(Self {
            segments: segments
                .iter()
                .fold(0, |set, segment| set | 1 << (segment & 63)),
            gist: None,
        })
    }
}

/// Collects the keys of up to 64 segments and encodes the map.
#[derive(Debug)]
pub struct KeyMapWriter<G> {
    entries: Vec<(u64, u8, G)>,
}

impl<G> Default for KeyMapWriter<G> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
        }
    }
}

impl<G: KeySummary> KeyMapWriter<G> {
    /// Adds the keys of a segment.
    pub fn add(&mut self, segment: u8, keys: impl Iterator<Item = (u64, G)>) {
        self.entries
            .extend(keys.map(|(key, gist)| (key, segment, gist)));
    }

    /// Returns the memory use in bytes; a key in several segments counts several times.
    pub fn len_bytes(&self) -> usize {
        self.entries.len() * size_of::<(u64, u8, G)>()
    }

    /// Returns the encoded map, and empties the writer.
    pub fn finish(&mut self) -> Vec<u8> {
        // The keys of each segment ascend, which makes the stable sort fast.
        self.entries
            .sort_by_key(|(key, segment, _)| (*key, *segment));
        let mut directory = DirectoryWriter::default();
        for same in self.entries.chunk_by(|one, other| one.0 == other.0) {
            let set = same
                .iter()
                .fold(0u64, |set, (_, segment, _)| set | 1 << segment);
            directory.push(same[0].0, |entries, _| {
                if set.count_ones() <= INLINE {
                    entries.push(same.len() as u8);
                    entries.extend(same.iter().map(|(_, segment, _)| *segment));
                    return;
                }
                entries.push(BITMAP);
                entries.extend_from_slice(&set.to_le_bytes());
                let mut all = G::default();
                same.iter().for_each(|(_, _, gist)| all.join(*gist));
                all.push(entries);
            });
        }
        self.entries.clear();
        let mut bytes = Vec::new();
        directory.finish(&mut bytes);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::directory::Directory;

    #[test]
    fn a_key_gives_the_segments_that_have_it() {
        let mut writer = KeyMapWriter::default();
        for segment in 0..64 {
            writer.add(
                segment,
                [7, 100 + u64::from(segment / 2)]
                    .into_iter()
                    .map(|key| (key, ())),
            );
        }
        let bytes = writer.finish();
        let map = Directory::new(&bytes).unwrap();
        assert_eq!(
            map.find(7).unwrap(),
            Some(SegmentSet {
                segments: u64::MAX,
                gist: Some(())
            })
        );
        assert_eq!(
            map.find(101).unwrap(),
            Some(SegmentSet::<()> {
                segments: 0b1100,
                gist: None
            })
        );
        assert_eq!(map.find::<SegmentSet<()>>(99).unwrap(), None);
    }

    #[test]
    fn a_block_of_many_segments_says_which_bytes_they_touch() {
        let mut writer = KeyMapWriter::default();
        for segment in 0..5 {
            let reach = TouchCoverage {
                masks: TouchMasks {
                    read: 1 << segment,
                    write: 0x80,
                },
                external: u64::from(segment == 3),
            };
            writer.add(
                segment,
                [(8, reach)]
                    .into_iter()
                    .chain((segment > 0).then_some((9, reach))),
            );
        }
        let bytes = writer.finish();
        let map = Directory::new(&bytes).unwrap();
        let gist = Some(TouchCoverage {
            masks: TouchMasks {
                read: 0b11111,
                write: 0x80,
            },
            external: 1,
        });
        assert_eq!(
            map.find(8).unwrap(),
            Some(SegmentSet {
                segments: 0b11111,
                gist
            })
        );
        assert_eq!(
            map.find(9).unwrap(),
            Some(SegmentSet::<TouchCoverage> {
                segments: 0b11110,
                gist: None
            })
        );
    }
}
