//! Block format: the records of up to 256 items, decodable without other blocks.
//!
//! ```text
//! checksum   u32: low half of the XXH3 of the rest, seeded with the number of the block,
//!            so that a block in the place of another is detected
//! head       numbers: visible records before the block, base time, code of the step before;
//!            recent addresses, the bases of address differences (`numbers.rs`)
//! ops        one byte each: STEP | flags, or another op; then its fields
//! ```
//! Numbers are LEB128.
//!
//! Most steps take one byte, plus the addresses of their accesses and the values that they moved.
//! Codes are numbered in the order of their first execution, so the next step's code is usually the
//! next number. An instruction usually has the same effects as on its first execution.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::events::TextKind;
use crate::step_store::numbers::{AddressPredictor, NumberReader, PADDING};

/// Number of items in a block.
pub const ITEMS: u64 = 256;

/// Op of a step; the flags say which fields follow.
pub(super) const STEP: u8 = 1;
/// Flag: the code is the one after the previous step's code. Otherwise a difference follows.
pub(super) const IS_NEXT: u8 = 2;
/// Flag: the step has the effects of the first execution. The addresses and values of its accesses
/// follow, then register values.
pub(super) const IS_USUAL: u8 = 4;
/// Flag: the target follows, as a difference from the step's address.
pub(super) const HAS_TARGET: u8 = 8;
/// Flag: the code follows inline instead of being in the table.
pub(super) const IS_INLINE: u8 = 16;

pub(super) const THREAD: u8 = 0;
pub(super) const READ: u8 = 2;
pub(super) const WRITE: u8 = 4;
pub(super) const READ_ELSEWHERE: u8 = 6;
pub(super) const WRITE_ELSEWHERE: u8 = 8;
pub(super) const MARKER: u8 = 10;
pub(super) const SIZED_MARKER: u8 = 12;
pub(super) const MARKER_RUN: u8 = 14;
pub(super) const TIME: u8 = 16;
pub(super) const PROBLEM: u8 = 18;
pub(super) const HINT: u8 = 20;
pub(super) const HINT_ELSEWHERE: u8 = 22;
pub(super) const VALUED_READ: u8 = 24;
pub(super) const VALUED_WRITE: u8 = 26;
pub(super) const REGISTER: u8 = 28;
pub(super) const UNKNOWN_REGISTER: u8 = 30;
pub(super) const MODE: u8 = 32;
pub(super) const NOTE: u8 = 34;
pub(super) const RECORDS: u8 = 36;
pub(super) const STEP_TIME: u8 = 38;

/// Head of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockHead {
    /// Number of visible records before the block.
    pub records_before: u64,
    /// Base of the time differences in the block.
    pub base_time: u64,
    /// Number of the code of the step before the block.
    pub code: u32,
    /// Recent addresses, the bases of address differences.
    pub addresses: AddressPredictor,
}

/// Kinds of notes, indexed by their stored numbers.
pub(super) const NOTES: [TextKind; 3] =
    [TextKind::Exception, TextKind::StateChange, TextKind::Note];

/// Error: the block does not contain the bytes that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockDamage;

/// Bytes of one block, as read from a frame.
#[derive(Clone, Copy, Debug)]
pub struct BlockBytes<'a> {
    /// Number of the block.
    pub number: u64,
    /// Bytes of the block, followed by [`PADDING`] zeros.
    pub padded: &'a [u8],
}

/// Decodes the head of a block.
pub fn head(block: BlockBytes<'_>) -> Result<BlockHead, BlockDamage> {
    open(block).map(|(head, _)| head)
}

pub(super) fn checksum(content: &[u8], number: u64) -> u32 {
    xxh3_64_with_seed(content, number) as u32
}

/// Checks a block; returns its head and a reader for the ops.
pub(super) fn open(
    BlockBytes { number, padded }: BlockBytes<'_>,
) -> Result<(BlockHead, NumberReader<'_>), BlockDamage> {
    let (expected, content) = padded.split_first_chunk().ok_or(BlockDamage)?;
    let end = content.len().checked_sub(PADDING).ok_or(BlockDamage)?;
    let is_right =
        checksum(content.get(..end).unwrap_or_default(), number) == u32::from_le_bytes(*expected);
    let mut reader = NumberReader::new(content);
    let (records_before, base_time, code) =
        (reader.number(), reader.number(), reader.number() as u32);
    let addresses = AddressPredictor::load(&mut reader);
    (is_right || cfg!(fuzzing))
        .then_some((
            BlockHead {
                records_before,
                base_time,
                code,
                addresses,
            },
            reader,
        ))
        .ok_or(BlockDamage)
}
