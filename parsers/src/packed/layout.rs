//! The layout of a copy on disk.
//!
//! ```text
//! header     72 bytes   magic "SBtext\r\n", version, bytes in a block, identity of the packed file
//!                       (3 numbers), place, length and hash of the footer; hash of all that.
//!                       Written last: zeros until then
//! blocks     one zstd frame with a checksum for each 8 KiB of text;
//!            in front of one of them the dictionary
//! footer     length of the text; place and length of the dictionary and the block after it;
//!            damage of the packed file; packed lengths of the blocks
//! ```
//!
//! All numbers are little-endian. Of the offsets of the blocks, a [`BlockDirectory`] keeps one per
//! group of blocks; the others follow from the lengths.

use std::io;

use xxhash_rust::xxh3::xxh3_64;

use crate::kept::places::{ByteStore, CacheFileFormat, Identity};
use crate::packed::codec::BLOCK;
use crate::packed::kind::{Damage, DamageKind, PackedKind};

/// Incremented if the layout or the meaning of a block changes.
const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"SBtext\r\n";
pub(super) const HEADER_LEN: usize = 72;
/// Maximum length of the footer. It excludes texts beyond some 4 PB, and so a damaged length.
const FOOTER_LIMIT: u64 = 1 << 40;

/// The contents of a finished copy except its blocks: the footer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CopyFooter {
    pub text_length: u64,
    pub dictionary: DictionaryPlace,
    pub damage: Option<Damage>,
    pub directory: BlockDirectory,
}

/// Position of the dictionary; all zero if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DictionaryPlace {
    pub offset: u64,
    pub length: u32,
    /// The first block that was packed with it. It follows the dictionary.
    pub before_block: u64,
}

/// Writes the footer, then the header, which marks the copy as complete.
pub(super) fn finish(
    store: &ByteStore,
    identity: Identity,
    contents: &CopyFooter,
) -> io::Result<()> {
    let footer = encode_footer(contents);
    let place = contents.directory.end();
    store.write_at(place, &footer)?;
    store.sync()?;
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend((BLOCK as u32).to_le_bytes());
    let numbers = identity
        .into_iter()
        .chain([place, footer.len() as u64, xxh3_64(&footer)]);
    header.extend(numbers.flat_map(u64::to_le_bytes));
    let hash = xxh3_64(&header);
    header.extend(hash.to_le_bytes());
    debug_assert_eq!(header.len(), HEADER_LEN, "the first block follows");
    store.write_at(0, &header)?;
    store.sync()
}

impl CacheFileFormat for PackedKind {
    type Contents = CopyFooter;
    const NAME: &'static str = "the copy of the unpacked text";
    const SUFFIX: &'static str = ".sbi.text";

    fn read(&self, store: &ByteStore, identity: Identity) -> io::Result<Option<CopyFooter>> {
        read(store, identity, *self)
    }

    fn is_ours(store: &ByteStore) -> io::Result<bool> {
        is_copy(store)
    }
}

/// Reads the footer of a copy. Returns none if the copy is damaged, unfinished, or of another file.
pub(super) fn read(
    store: &ByteStore,
    identity: Identity,
    kind: PackedKind,
) -> io::Result<Option<CopyFooter>> {
    let mut header = [0; HEADER_LEN];
    if store.read_at(0, &mut header)? < HEADER_LEN {
        return Ok(None);
    }
    let (content, hash) = header.split_at(HEADER_LEN - 8);
    let mut fields = CopyFieldReader(content);
    let is_ours =
        fields.take(MAGIC.len()) == Some(&MAGIC) && xxh3_64(content).to_le_bytes() == *hash;
    let is_same_layout = fields.u32() == Some(VERSION) && fields.u32() == Some(BLOCK as u32);
    let is_same_file = [fields.u64(), fields.u64(), fields.u64()] == identity.map(Some);
    let (Some(place), Some(length), Some(footer_hash)) = (fields.u64(), fields.u64(), fields.u64())
    else {
        return Ok(None);
    };
    let is_plausible = length < FOOTER_LIMIT && store.length()? == place.saturating_add(length);
    if !(is_ours && is_same_layout && is_same_file && is_plausible) {
        return Ok(None);
    }
    let mut footer = vec![0; usize::try_from(length).unwrap_or(0)];
    let is_whole =
        store.read_at(place, &mut footer)? == footer.len() && xxh3_64(&footer) == footer_hash;
    Ok(decode_footer(&footer, kind)
        .filter(|contents| is_whole && contents.directory.end() == place))
}

/// Returns true if a file is empty or begins like a copy, so that it may be replaced.
pub(super) fn is_copy(store: &ByteStore) -> io::Result<bool> {
    let mut magic = [0; MAGIC.len()];
    let count = store.read_at(0, &mut magic)?;
    // An unfinished copy begins with zeros.
    Ok(count == 0 || magic == MAGIC || magic == [0; MAGIC.len()])
}

fn encode_footer(contents: &CopyFooter) -> Vec<u8> {
    let CopyFooter {
        text_length,
        dictionary,
        damage,
        directory,
    } = contents;
    let mut bytes = Vec::with_capacity(2 * directory.count() + 256);
    bytes.extend(text_length.to_le_bytes());
    bytes.extend(dictionary.offset.to_le_bytes());
    bytes.extend(dictionary.length.to_le_bytes());
    bytes.extend(dictionary.before_block.to_le_bytes());
    let (tag, why) = match damage.as_ref().map(|damage| &damage.kind) {
        None => (0u32, ""),
        Some(DamageKind::CutOff) => (1, ""),
        Some(DamageKind::Junk) => (2, ""),
        Some(DamageKind::Window) => (3, ""),
        Some(DamageKind::Corrupt(why)) => (4, &**why),
    };
    bytes.extend(tag.to_le_bytes());
    bytes.extend(
        damage
            .as_ref()
            .map_or(0, |damage| damage.offset)
            .to_le_bytes(),
    );
    bytes.extend((why.len() as u32).to_le_bytes());
    bytes.extend(why.bytes());
    bytes.extend(
        directory
            .lengths()
            .iter()
            .flat_map(|length| length.to_le_bytes()),
    );
    bytes
}

fn decode_footer(bytes: &[u8], packed: PackedKind) -> Option<CopyFooter> {
    let mut fields = CopyFieldReader(bytes);
    let text_length = fields.u64()?;
    let dictionary = DictionaryPlace {
        offset: fields.u64()?,
        length: fields.u32()?,
        before_block: fields.u64()?,
    };
    let (tag, offset, why_length) = (fields.u32()?, fields.u64()?, fields.u32()?);
    let why = String::from_utf8(fields.take(usize::try_from(why_length).ok()?)?.to_vec()).ok()?;
    let kind = match tag {
        0 => None,
        1 => Some(DamageKind::CutOff),
        2 => Some(DamageKind::Junk),
        3 => Some(DamageKind::Window),
        4 => Some(DamageKind::Corrupt(why)),
        _ => return None,
    };
    let damage = kind.map(|kind| Damage {
        packed,
        offset,
        kind,
    });
    let directory = directory_of(fields.0, dictionary)?;
    let is_whole = text_length.div_ceil(BLOCK as u64) == directory.count() as u64;
    is_whole.then_some(CopyFooter {
        text_length,
        dictionary,
        damage,
        directory,
    })
}

fn directory_of(lengths: &[u8], dictionary: DictionaryPlace) -> Option<BlockDirectory> {
    let gap = usize::try_from(dictionary.before_block)
        .ok()
        .filter(|block| block % GROUP == 0)?;
    let mut directory = BlockDirectory::new(HEADER_LEN as u64);
    for (block, length) in lengths.chunks(2).enumerate() {
        if block == gap {
            directory.skip(u64::from(dictionary.length));
        }
        directory.push(u16::from_le_bytes(length.try_into().ok()?));
    }
    Some(directory)
}

struct CopyFieldReader<'a>(&'a [u8]);

impl<'a> CopyFieldReader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
}

/// Blocks per group. The offset is stored for the first block of a group only; the others follow
/// from the lengths.
pub(super) const GROUP: usize = 64;

/// Offsets of the blocks: 2.1 bytes of memory for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockDirectory {
    /// Offset of the first block of each group.
    groups: Vec<u64>,
    /// Packed lengths of the blocks.
    lengths: Vec<u16>,
    end: u64,
}

impl BlockDirectory {
    /// Creates the directory of a copy with its first block at `start`.
    pub fn new(start: u64) -> Self {
        Self {
            groups: Vec::new(),
            lengths: Vec::new(),
            end: start,
        }
    }

    /// Returns the offset after the last block.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the number of blocks.
    pub fn count(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the packed lengths of the blocks.
    pub fn lengths(&self) -> &[u16] {
        &self.lengths
    }

    /// Appends a block.
    pub fn push(&mut self, length: u16) {
        if self.lengths.len().is_multiple_of(GROUP) {
            self.groups.push(self.end);
        }
        self.lengths.push(length);
        self.end += u64::from(length);
    }

    /// Leaves a gap before the next block, which must be the first of a group.
    pub fn skip(&mut self, length: u64) {
        debug_assert!(
            self.lengths.len().is_multiple_of(GROUP),
            "places inside a group follow from lengths alone"
        );
        self.end += length;
    }

    /// Returns the offset and the packed length of a block.
    pub fn place(&self, block: u64) -> Option<(u64, u16)> {
        let block = usize::try_from(block).ok()?;
        let first = block - block % GROUP;
        let before = self
            .lengths
            .get(first..block)?
            .iter()
            .map(|length| u64::from(*length))
            .sum::<u64>();
        Some((
            self.groups.get(block / GROUP)? + before,
            *self.lengths.get(block)?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(why: Option<DamageKind>) -> CopyFooter {
        let mut directory = BlockDirectory::new(HEADER_LEN as u64);
        (0..GROUP).for_each(|_| directory.push(100));
        let dictionary = DictionaryPlace {
            offset: directory.end(),
            length: 5000,
            before_block: GROUP as u64,
        };
        directory.skip(5000);
        directory.push(9);
        let damage = why.map(|kind| Damage {
            packed: PackedKind::Xz,
            offset: 77,
            kind,
        });
        CopyFooter {
            text_length: (GROUP * BLOCK) as u64 + 3,
            dictionary,
            damage,
            directory,
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let corrupt = DamageKind::Corrupt("wrong".to_owned());
        for why in [
            None,
            Some(DamageKind::CutOff),
            Some(DamageKind::Junk),
            Some(DamageKind::Window),
            Some(corrupt),
        ] {
            let (store, contents) = (ByteStore::memory(), contents(why));
            finish(&store, [1, 2, 3], &contents).unwrap();
            assert_eq!(
                read(&store, [1, 2, 3], PackedKind::Xz).unwrap(),
                Some(contents)
            );
            assert_eq!(read(&store, [1, 2, 4], PackedKind::Xz).unwrap(), None);
        }
    }

    #[test]
    fn a_flipped_or_missing_byte_of_header_or_footer_is_noticed() {
        let (store, contents) = (ByteStore::memory(), contents(None));
        finish(&store, [1, 2, 3], &contents).unwrap();
        let length = store.length().unwrap();
        let mut bytes = vec![0; length as usize];
        store.read_at(0, &mut bytes).unwrap();
        let footer = contents.directory.end() as usize;
        for place in (0..HEADER_LEN).chain(footer..bytes.len()) {
            let mut flipped = bytes.clone();
            flipped[place] ^= 0x10;
            let damaged = ByteStore::memory();
            damaged.write_at(0, &flipped).unwrap();
            assert_eq!(
                read(&damaged, [1, 2, 3], PackedKind::Xz).unwrap(),
                None,
                "{place}"
            );
        }
        let cut = ByteStore::memory();
        cut.write_at(0, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(read(&cut, [1, 2, 3], PackedKind::Xz).unwrap(), None);
    }
}

#[cfg(test)]
mod directory_tests {
    use super::*;

    #[test]
    fn places_follow_from_lengths_and_gaps() {
        let mut directory = BlockDirectory::new(72);
        (0..GROUP as u16).for_each(|length| directory.push(length));
        directory.skip(1000);
        (0..10).for_each(|_| directory.push(7));
        assert_eq!(directory.place(0), Some((72, 0)));
        assert_eq!(directory.place(63), Some((72 + 62 * 63 / 2, 63)));
        assert_eq!(
            directory.place(66),
            Some((72 + 63 * 64 / 2 + 1000 + 2 * 7, 7))
        );
        assert_eq!(
            (directory.place(74), directory.place(u64::MAX)),
            (None, None)
        );
        assert_eq!(directory.end(), 72 + 63 * 64 / 2 + 1000 + 70);
    }
}
