//! Maps step numbers to offsets in the virtual text, and, in formats that number all their records,
//! record numbers to items.
//!
//! An index counts bytes of the input. Byte offsets mean nothing in a stored trace, so each item
//! gets 16 virtual bytes. Item 0, all before the first step, has bytes 0 to 16. Step n, with
//! everything up to the next step, has bytes 16 (n + 1) to 16 (n + 2).

use std::io;
use std::ops::Range;

use crate::step_store::block::ITEMS;
use crate::step_store::block_reader::BlockVisitor;
use crate::step_store::code::Code;
use crate::step_store::record::{StoredAccess, StoredHint, StoredMarker};
use crate::step_store::store::{StepStore, StoreScratch};

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

impl StepStore {
    /// Returns the item of the record with this number, counted from 1; `None` if there is no such
    /// record. O(log n) reads.
    ///
    /// # Errors
    /// The store could not be read, or is damaged.
    pub fn item_of_record(
        &self,
        number: u64,
        scratch: &mut StoreScratch,
    ) -> io::Result<Option<u64>> {
        let mut found = None;
        let (block, before) = self.block_of_record(number, scratch)?;
        let mut end = before;
        each_item(self, block..block + ITEMS, scratch, |item, records| {
            end += records;
            found = found.or((number > 0 && number <= end).then_some(item));
        })?;
        Ok(found)
    }

    /// Returns the numbers of the records of an item. O(1) reads.
    ///
    /// # Errors
    /// The store could not be read, or is damaged.
    pub fn records_of_item(&self, item: u64, scratch: &mut StoreScratch) -> io::Result<Range<u64>> {
        let block = item / ITEMS * ITEMS;
        let mut next = self.records_before(item, scratch)? + 1;
        let mut found = next..next;
        each_item(self, block..block + ITEMS, scratch, |known, records| {
            if known == item {
                found = next..next + records;
            }
            next += records;
        })?;
        Ok(found)
    }
}

/// Calls `each` for the items of a block, with the number of their records.
fn each_item(
    store: &StepStore,
    items: Range<u64>,
    scratch: &mut StoreScratch,
    each: impl FnMut(u64, u64),
) -> io::Result<()> {
    let end = items.end.min(store.wait_for(items.end)?);
    // Records before the first step of a block belong to it only at the start of the trace.
    let mut run = RecordCountVisitor {
        item: first_item(items.start),
        records: 0,
        is_begun: items.start == 0,
        each,
    };
    if items.start < end {
        store.visit(items.start..end, scratch, &mut run, |_, _| true)?;
        run.end_item();
    }
    Ok(())
}

struct RecordCountVisitor<F> {
    item: u64,
    records: u64,
    is_begun: bool,
    each: F,
}

impl<F: FnMut(u64, u64)> RecordCountVisitor<F> {
    fn end_item(&mut self) {
        let records = std::mem::take(&mut self.records);
        if std::mem::replace(&mut self.is_begun, true) {
            (self.each)(self.item, records);
        }
    }
}

impl<F: FnMut(u64, u64)> BlockVisitor for RecordCountVisitor<F> {
    fn thread(&mut self, _thread: u16, _time: Option<u64>) {}

    fn step(&mut self, _code: &Code, _target: Option<u64>) {
        self.end_item();
        self.item += 1;
    }

    fn access(&mut self, _access: StoredAccess) {}

    fn marker(&mut self, _marker: StoredMarker) {}

    fn hint(&mut self, _hint: StoredHint) {}

    fn problem(&mut self, _message: String) {}

    /// The last count of an item is the valid one.
    fn records(&mut self, count: u64) {
        self.records = count;
    }
}
