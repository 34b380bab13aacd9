//! A block: the records of up to 256 items, which decode by themselves.
//!
//! ```text
//! checksum   u32: the low half of the XXH3 of what follows, with the number of the block as its seed: a block that stands
//!            in the place of another is no block
//! head       visible records before the block, a time that others are close to, the code of the step before: numbers;
//!            the addresses that others are close to (`numbers.rs`)
//! ops        each a byte: STEP | flags, or one of the others, and its fields
//! ```
//! Numbers are LEB128.
//!
//! A step is mostly one byte, the addresses of its accesses and the values that it moved: codes are numbered in the order of
//! their first execution, so the next step's code is mostly the next number, and an instruction mostly does what it did the
//! first time.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::events::TextKind;
use crate::step_store::numbers::{AddressPredictor, NumberReader, PADDING};

/// Items in a block.
pub const ITEMS: u64 = 256;

/// A step; the flags say what follows.
pub(super) const STEP: u8 = 1;
/// Its code is the one after the code of the step before; else a difference follows.
pub(super) const IS_NEXT: u8 = 2;
/// It does what it did the first time: addresses and values of its accesses follow, then values of registers.
pub(super) const IS_USUAL: u8 = 4;
/// Where it goes follows, as a difference to its address.
pub(super) const HAS_TARGET: u8 = 8;
/// Its code is not in the table but follows.
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

/// What stands in front of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockHead {
    /// Visible records before it.
    pub records_before: u64,
    /// Times in it are differences to this one.
    pub base_time: u64,
    /// The code of the step before it.
    pub code: u32,
    /// Where the last addresses were.
    pub addresses: AddressPredictor,
}

/// Kinds of notes, by the numbers under which they are written.
pub(super) const NOTES: [TextKind; 3] =
    [TextKind::Exception, TextKind::StateChange, TextKind::Note];

/// The block does not hold what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockDamage;

/// What was read of a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockBytes<'a> {
    /// Its number.
    pub number: u64,
    /// Its bytes, followed by [`PADDING`] zeros.
    pub padded: &'a [u8],
}

/// The head of a block.
pub fn head(block: BlockBytes<'_>) -> Result<BlockHead, BlockDamage> {
    open(block).map(|(head, _)| head)
}

pub(super) fn checksum(content: &[u8], number: u64) -> u32 {
    xxh3_64_with_seed(content, number) as u32
}

/// Its head, and what reads the rest.
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
