//! Frame format: four blocks, plain or compressed together.
//!
//! ```text
//! kind       u8: 0 plain, 1 compressed with zstd
//! count      u8: number of blocks; fewer than four only in the last frame
//! lengths    u32 each: lengths of the blocks, uncompressed
//! blocks     one after the other; compressed ones follow a checksum, u32: low half of the
//!            XXH3 of the compressed bytes
//! ```
//! Blocks with values are thousands of bytes long, and loops make them similar: those of an RST
//! trace compress to a fifth. Blocks with addresses only have some 400 bytes and stay plain, since
//! compression takes a twentieth of the time of indexing a trace.
//! Larger frames compress better, but a query for one step unpacks a whole frame: 8 KiB take 10
//! microseconds, 64 KiB take 50.
//!
//! [`FrameCache`] keeps the frames that a reader used last, because a query reads a few of them
//! repeatedly.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;
use zstd::zstd_safe::{CCtx, CParameter, DCtx, compress_bound};

use crate::step_store::block::BlockDamage;

/// Number of blocks in a frame.
pub const BLOCKS: u64 = 4;
const PLAIN: u8 = 0;
const PACKED: u8 = 1;
/// Bytes of a frame before its lengths.
const HEAD_LEN: usize = 2;
/// Minimum average length of the blocks of a compressed frame, in bytes.
const DENSE_BLOCK: usize = 1 << 10;
/// Maximum length of compressed blocks, so that a damaged file cannot claim more memory. Blocks are
/// much shorter.
const PACKED_LIMIT: usize = 64 << 20;
/// Unpacks twice as fast as level 1, and is a tenth larger.
const LEVEL: i32 = -1;

fn checksum(packed: &[u8]) -> [u8; 4] {
    (xxh3_64(packed) as u32).to_le_bytes()
}

/// Combines blocks into frames.
#[derive(Default)]
pub struct FrameWriter {
    lengths: Vec<u8>,
    blocks: Vec<u8>,
    packed: Vec<u8>,
    packer: Option<CCtx<'static>>,
}

impl FrameWriter {
    /// Creates a writer; it compresses if there is memory for a compressor.
    pub fn new() -> Self {
        let packer = CCtx::try_create().and_then(|mut packer| {
            packer
                .set_parameter(CParameter::CompressionLevel(LEVEL))
                .ok()?;
            Some(packer)
        });
        Self {
            packer,
            ..Self::default()
        }
    }

    /// Adds a block; returns true when the frame is full.
    pub fn push(&mut self, block: &[u8]) -> bool {
        self.lengths.extend((block.len() as u32).to_le_bytes());
        self.blocks.extend_from_slice(block);
        self.count() as u64 == BLOCKS
    }

    /// Returns true if the frame has no blocks yet.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    fn count(&self) -> usize {
        self.lengths.len() / size_of::<u32>()
    }

    /// Appends the frame to `out` and begins the next one. Returns its length, or `None` if it has
    /// no blocks.
    pub fn end(&mut self, out: &mut Vec<u8>) -> Option<u32> {
        if self.lengths.is_empty() {
            return None;
        }
        let before = out.len();
        let (kind, count) = (self.pack(), self.count() as u8);
        out.extend([kind, count]);
        out.append(&mut self.lengths);
        if kind == PACKED {
            out.extend(checksum(&self.packed));
            out.extend_from_slice(&self.packed);
        } else {
            out.extend_from_slice(&self.blocks);
        }
        self.blocks.clear();
        Some((out.len() - before) as u32)
    }

    /// Compresses the blocks if that makes them shorter; returns the kind of the frame.
    fn pack(&mut self) -> u8 {
        let length = self.blocks.len();
        let Some(packer) = &mut self.packer else {
            return PLAIN;
        };
        if !(DENSE_BLOCK * (self.lengths.len() / size_of::<u32>())..=PACKED_LIMIT).contains(&length)
        {
            return PLAIN;
        }
        self.packed.clear();
        self.packed.reserve(compress_bound(length));
        match packer.compress2(&mut self.packed, &self.blocks) {
            Ok(packed) if packed < length => PACKED,
            _ => PLAIN,
        }
    }
}

impl fmt::Debug for FrameWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameWriter")
            .field("blocks", &self.count())
            .finish_non_exhaustive()
    }
}

/// Unpacks frames into a buffer that it reuses.
#[derive(Default)]
pub struct FrameReader {
    blocks: Vec<u8>,
    unpacker: Option<DCtx<'static>>,
}

impl fmt::Debug for FrameReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameReader").finish_non_exhaustive()
    }
}

/// Blocks of a frame, unpacked.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Length of each block, little-endian.
    pub(super) lengths: &'a [[u8; 4]],
    /// Blocks, one after the other.
    pub(super) blocks: &'a [u8],
}

impl FrameReader {
    /// Unpacks a frame. Each block has a checksum that is not verified here.
    ///
    /// # Errors
    /// The bytes are no valid frame.
    pub fn open<'a>(&'a mut self, frame: &'a [u8]) -> Result<Frame<'a>, BlockDamage> {
        let (&[kind, count], rest) = frame.split_first_chunk::<HEAD_LEN>().ok_or(BlockDamage)?;
        let (lengths, content) = rest
            .split_at_checked(usize::from(count) * size_of::<u32>())
            .ok_or(BlockDamage)?;
        let lengths = lengths.as_chunks().0;
        let length = lengths.iter().try_fold(0, |sum: usize, length| {
            sum.checked_add(usize::try_from(u32::from_le_bytes(*length)).ok()?)
        });
        let length = length.ok_or(BlockDamage)?;
        let blocks = match kind {
            PLAIN => content,
            PACKED => self.unpack(content, length)?,
            _ => return Err(BlockDamage),
        };
        if blocks.len() == length {
            Ok(Frame { lengths, blocks })
        } else {
            Err(BlockDamage)
        }
    }

    fn unpack(&mut self, content: &[u8], length: usize) -> Result<&[u8], BlockDamage> {
        let (expected, packed) = content.split_first_chunk().ok_or(BlockDamage)?;
        let is_right = checksum(packed) == *expected || cfg!(fuzzing);
        if !is_right || length > PACKED_LIMIT {
            return Err(BlockDamage);
        }
        if self.unpacker.is_none() {
            self.unpacker = DCtx::try_create();
        }
        let unpacker = self.unpacker.as_mut().ok_or(BlockDamage)?;
        self.blocks.resize(length, 0);
        let count = unpacker
            .decompress(self.blocks.as_mut_slice(), packed)
            .map_err(|_| BlockDamage)?;
        self.blocks.get(..count).ok_or(BlockDamage)
    }
}

impl<'a> Frame<'a> {
    /// Iterates over the blocks, in order.
    pub fn blocks(self) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = self.blocks;
        self.lengths.iter().map_while(move |length| {
            let (block, after) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = after;
            Some(block)
        })
    }
}

/// Maximum number of cached frames.
const KEPT: usize = 16;
/// Maximum length of the blocks of a cached frame, in bytes.
const LENGTH_LIMIT: usize = 64 << 10;

/// Identifies a frame among all stores of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameKey {
    /// Number of the store.
    pub store: u64,
    /// Number of the frame in the store.
    pub frame: u64,
}

/// First-in, first-out cache of unpacked frames.
#[derive(Debug, Default)]
pub struct FrameCache {
    held: Vec<CachedFrame>,
    oldest: usize,
}

#[derive(Debug)]
struct CachedFrame {
    key: FrameKey,
    lengths: Vec<[u8; 4]>,
    blocks: Vec<u8>,
}

impl FrameCache {
    /// Returns a frame if it is cached.
    pub fn find(&self, key: FrameKey) -> Option<Frame<'_>> {
        let held = self.held.iter().find(|held| held.key == key)?;
        Some(Frame {
            lengths: &held.lengths,
            blocks: &held.blocks,
        })
    }

    /// Caches a frame in the place of the oldest one; returns false if it is too long.
    pub fn hold(&mut self, key: FrameKey, frame: Frame<'_>) -> bool {
        if frame.blocks.len() > LENGTH_LIMIT {
            return false;
        }
        if self.held.len() < KEPT {
            self.held.push(CachedFrame {
                key,
                lengths: frame.lengths.to_vec(),
                blocks: frame.blocks.to_vec(),
            });
        } else if let Some(held) = self.held.get_mut(self.oldest) {
            held.key = key;
            held.lengths.clear();
            held.lengths.extend_from_slice(frame.lengths);
            held.blocks.clear();
            held.blocks.extend_from_slice(frame.blocks);
            self.oldest = (self.oldest + 1) % KEPT;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(blocks: &[Vec<u8>]) -> Vec<u8> {
        let (mut writer, mut out) = (FrameWriter::new(), Vec::new());
        for (count, block) in (1..).zip(blocks) {
            assert_eq!(writer.push(block), count == BLOCKS);
        }
        assert_eq!(writer.end(&mut out), Some(out.len() as u32));
        assert_eq!(writer.end(&mut out), None);
        out
    }

    fn blocks(frame: &[u8]) -> Result<Vec<Vec<u8>>, BlockDamage> {
        FrameReader::default()
            .open(frame)
            .map(|frame| frame.blocks().map(<[u8]>::to_vec).collect())
    }

    /// Makes blocks of these lengths with similar contents.
    fn alike(lengths: &[usize]) -> Vec<Vec<u8>> {
        lengths
            .iter()
            .map(|length| (0..*length).map(|place| (place % 97) as u8).collect())
            .collect()
    }

    /// Makes blocks of these lengths that do not compress.
    fn noise(lengths: &[usize]) -> Vec<Vec<u8>> {
        let mut state = 1u64;
        let mut byte = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        lengths
            .iter()
            .map(|length| (0..*length).map(|_| byte()).collect())
            .collect()
    }

    #[test]
    fn blocks_come_out_as_they_went_in() {
        for lengths in [
            &[0][..],
            &[7, 0, 9],
            &[400; 4],
            &[3000; 4],
            &[2_000_000, 5, 1],
            &[1 << 20; 4],
        ] {
            for given in [alike(lengths), noise(lengths)] {
                assert!(blocks(&frame(&given)).unwrap() == given, "{lengths:?}");
            }
        }
    }

    #[test]
    fn only_what_gains_by_it_is_packed() {
        let kind_and_gain = |given: &[Vec<u8>]| {
            let frame = frame(given);
            (frame[0], frame.len() < given.concat().len() / 2)
        };
        assert_eq!(kind_and_gain(&alike(&[2000; 4])), (PACKED, true));
        assert_eq!(kind_and_gain(&alike(&[400; 4])), (PLAIN, false));
        assert_eq!(kind_and_gain(&noise(&[2000; 4])), (PLAIN, false));
        assert_eq!(kind_and_gain(&alike(&[PACKED_LIMIT + 1])), (PLAIN, false));
    }

    #[test]
    fn a_frame_that_claims_much_memory_is_damage() {
        let mut hostile = frame(&alike(&[2000; 4]));
        for lengths in [
            [u32::MAX; 4],
            [16 << 20, 16 << 20, 16 << 20, (16 << 20) + 1],
        ] {
            hostile[2..18].copy_from_slice(lengths.map(u32::to_le_bytes).as_flattened());
            let mut reader = FrameReader::default();
            assert!(reader.open(&hostile).is_err());
            assert_eq!(reader.blocks.capacity(), 0, "nothing is made room for");
        }
    }

    #[test]
    fn a_frame_that_unpacks_to_more_or_less_than_it_says_is_damage() {
        let whole = frame(&alike(&[2000; 4]));
        for length in [0, 1999, 2001, 1 << 20] {
            let mut damaged = whole.clone();
            damaged[2..6].copy_from_slice(&u32::to_le_bytes(length));
            assert_eq!(blocks(&damaged), Err(BlockDamage), "{length}");
        }
    }

    #[test]
    fn packed_bytes_that_are_no_packed_bytes_are_damage() {
        let whole = frame(&alike(&[2000; 4]));
        let (head, packed) = (&whole[..18], &whole[22..]);
        for place in 0..packed.len() {
            let mut damaged = packed.to_vec();
            damaged[place] ^= 1 << (place % 8);
            // A hostile file has a checksum that matches.
            let sealed = [head, &checksum(&damaged), &damaged].concat();
            // zstd accepts some damage, but the length then matches; blocks have separate
            // checksums.
            assert!(
                blocks(&sealed).is_ok_and(|blocks| blocks.concat().len() == 8000)
                    || blocks(&sealed).is_err()
            );
            assert_eq!(
                blocks(&[head, &whole[18..22], &damaged].concat()),
                Err(BlockDamage),
                "{place}"
            );
        }
        for end in 0..whole.len() {
            assert_eq!(blocks(&whole[..end]), Err(BlockDamage), "{end}");
        }
    }

    #[test]
    fn a_plain_frame_without_its_end_or_of_another_kind_is_damage() {
        let whole = frame(&alike(&[50; 3]));
        for end in 0..whole.len() {
            assert_eq!(blocks(&whole[..end]), Err(BlockDamage), "{end}");
        }
        for kind in 1..=u8::MAX {
            let damaged = [&[kind], &whole[1..]].concat();
            assert_eq!(blocks(&damaged), Err(BlockDamage), "{kind}");
        }
    }
}

#[cfg(test)]
mod recent_tests {
    use super::*;

    #[test]
    fn the_last_frames_are_held_each_of_its_store() {
        let mut recent = FrameCache::default();
        let key = |number: u64| FrameKey {
            store: number % 2,
            frame: number / 2,
        };
        for number in 0..20 {
            let blocks = vec![number as u8; number as usize];
            assert!(recent.hold(
                key(number),
                Frame {
                    lengths: &[(number as u32).to_le_bytes()],
                    blocks: &blocks
                }
            ));
        }
        for number in 0..20 {
            let found = recent
                .find(key(number))
                .map(|frame| frame.blocks().collect::<Vec<_>>().concat());
            assert_eq!(
                found,
                (number >= 20 - KEPT as u64).then(|| vec![number as u8; number as usize]),
                "{number}"
            );
        }
        let long = vec![0; LENGTH_LIMIT + 1];
        assert!(
            !recent.hold(
                key(99),
                Frame {
                    lengths: &[],
                    blocks: &long
                }
            ) && recent.find(key(99)).is_none()
        );
    }
}
