//! Steps by their numbers, and where they stand in a text that nobody wrote.
//!
//! An index counts in bytes of the input. A stored trace has none that mean anything, so each item gets as many:
//! item 0, what comes before the first step, stands at bytes 0 to 16, and step n with all that follows it up to the next one
//! at bytes 16 (n + 1) to 16 (n + 2).

use std::ops::Range;

use crate::step_store::block::ITEMS;

/// Bytes of the virtual text of an item.
pub const ITEM_BYTES: u64 = 16;

/// The items whose virtual text begins in a range.
pub fn items_of(range: &Range<u64>) -> Range<u64> {
    range.start / ITEM_BYTES..range.end / ITEM_BYTES
}

/// The item in which the block of an item begins: what stands before its first step belongs to the item before, if anything does.
pub fn first_item(item: u64) -> u64 {
    (item / ITEMS * ITEMS).saturating_sub(1)
}
