//! Maps step numbers to offsets in the virtual text.
//!
//! An index counts bytes of the input. Byte offsets mean nothing in a stored trace, so each item
//! gets 16 virtual bytes. Item 0, all before the first step, has bytes 0 to 16. Step n, with
//! everything up to the next step, has bytes 16 (n + 1) to 16 (n + 2).

use std::ops::Range;

use crate::step_store::block::ITEMS;

/// Bytes of an item in the virtual text.
pub const ITEM_BYTES: u64 = 16;

/// Returns the items whose virtual text begins in a range.
pub fn items_of(range: &Range<u64>) -> Range<u64> {
    range.start / ITEM_BYTES..range.end / ITEM_BYTES
}

/// Returns the item that is current at the start of an item's block. Records before the block's
/// first step belong to the item before it, if there is one.
pub fn first_item(item: u64) -> u64 {
    (item / ITEMS * ITEMS).saturating_sub(1)
}
