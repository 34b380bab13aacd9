//! Visible records of a trace, read from the store.

use std::io;
use std::ops::Range;

use crate::events::ThreadNumber;
use crate::marker::MarkerKind;
use crate::step_store::block_reader::BlockVisitor;
use crate::step_store::code::Code;
use crate::step_store::items::first_item;
use crate::step_store::record::{StoredAccess, StoredHint, StoredMarker};
use crate::step_store::store::{StepStore, StoreScratch};

/// Record that DynamoRIO's tools show.
#[derive(Clone, Copy, Debug)]
pub struct VisibleRecord<'a> {
    /// Number among the visible records of the whole trace, counted from 1; the first of a run of
    /// equal ones.
    /// Synthetic records of a scheduler have none, and show the number of the record before them.
    pub ordinal: u64,
    /// Number of instructions fetched until now, including this one.
    pub instructions: u64,
    /// Thread of the record.
    pub thread: ThreadNumber,
    /// Content of the record.
    pub content: RecordContent<'a>,
}

impl VisibleRecord<'_> {
    /// Returns the number of records in a run of equal ones.
    pub fn count(&self) -> u64 {
        match self.content {
            RecordContent::Marker(marker) => marker.count,
            RecordContent::Problem(_) => 0,
            _ => 1,
        }
    }

    /// Returns the number of ordinals it takes: one for each record, none for synthetic records of
    /// a scheduler.
    pub fn ordinals(&self) -> u64 {
        match self.content {
            RecordContent::Marker(marker) => marker.ordinals(),
            _ => self.count(),
        }
    }
}

/// Content of a visible record.
#[derive(Clone, Copy, Debug)]
pub enum RecordContent<'a> {
    /// Fetched instruction, and the target of an indirect branch.
    Instruction(&'a Code, Option<u64>),
    /// Load or store.
    /// Its `pc` is that of the instruction that made it; `None` if no instruction of the thread was
    /// seen yet.
    Access(StoredAccess),
    /// Prefetch or flush. Its `pc` is as for accesses.
    Hint(StoredHint),
    /// Any other record. Its length is that of a repeated instruction.
    Marker(StoredMarker),
    /// A part that could not be read; no record.
    Problem(&'a str),
}

/// Passes the visible records of some items to `each`, in order, until it returns false. Cost:
/// decodes from the start of the first block.
///
/// # Errors
/// The store could not be read, or is damaged.
pub fn visible_records(
    store: &StepStore,
    items: Range<u64>,
    scratch: &mut StoreScratch,
    each: impl FnMut(VisibleRecord<'_>) -> bool,
) -> io::Result<()> {
    let end = items.end.min(store.wait_for(items.end)?);
    if items.start >= end {
        return Ok(());
    }
    let ordinal = store.records_before(items.start, scratch)? + 1;
    let item = first_item(items.start);
    let items = items.start..end;
    let mut run = VisibleRecordVisitor {
        items: items.clone(),
        item,
        ordinal,
        each,
        goes_on: true,
        thread: ThreadNumber(0),
        pcs: Vec::new(),
    };
    store.visit(items, scratch, &mut run, |run, _| run.goes_on)
}

struct VisibleRecordVisitor<F> {
    items: Range<u64>,
    item: u64,
    ordinal: u64,
    each: F,
    goes_on: bool,
    thread: ThreadNumber,
    /// Last instruction of each thread in the block.
    pcs: Vec<(ThreadNumber, u64)>,
}

impl<F: FnMut(VisibleRecord<'_>) -> bool> VisibleRecordVisitor<F> {
    fn hand_out(&mut self, content: RecordContent<'_>, ordinals: u64) {
        if self.goes_on && self.items.contains(&self.item) {
            let Self {
                ordinal,
                item: instructions,
                thread,
                ..
            } = *self;
            // A synthetic record of a scheduler shows the number of the record before it.
            let is_synthetic = matches!(content, RecordContent::Marker(marker) if marker.marker.kind.is_synthetic());
            let ordinal = if is_synthetic {
                ordinal.saturating_sub(1)
            } else {
                ordinal
            };
            self.goes_on = (self.each)(VisibleRecord {
                ordinal,
                instructions,
                thread,
                content,
            });
        }
        self.ordinal = self.ordinal.saturating_add(ordinals);
    }

    fn note_pc(&mut self, address: u64) {
        let thread = self.thread;
        match self.pcs.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, pc)) => *pc = address,
            None => self.pcs.push((thread, address)),
        }
    }

    fn pc(&self) -> Option<u64> {
        self.pcs
            .iter()
            .find(|(thread, _)| *thread == self.thread)
            .map(|(_, pc)| *pc)
    }
}

impl<F: FnMut(VisibleRecord<'_>) -> bool> BlockVisitor for VisibleRecordVisitor<F> {
    fn thread(&mut self, thread: u16, _time: Option<u64>) {
        self.thread = ThreadNumber(thread);
    }

    fn step(&mut self, code: &Code, target: Option<u64>) {
        self.item += 1;
        self.goes_on &= self.item < self.items.end;
        self.hand_out(RecordContent::Instruction(code, target), 1);
        self.note_pc(code.pc);
    }

    fn access(&mut self, access: StoredAccess) {
        let pc = access.pc.or_else(|| self.pc());
        self.hand_out(RecordContent::Access(StoredAccess { pc, ..access }), 1);
    }

    fn hint(&mut self, hint: StoredHint) {
        let pc = hint.pc.or_else(|| self.pc());
        self.hand_out(RecordContent::Hint(StoredHint { pc, ..hint }), 1);
    }

    fn marker(&mut self, stored: StoredMarker) {
        self.hand_out(RecordContent::Marker(stored), stored.ordinals());
        if stored.marker.kind == MarkerKind::REPETITION {
            self.note_pc(stored.marker.value);
        }
    }

    fn problem(&mut self, message: String) {
        self.hand_out(RecordContent::Problem(&message), 0);
    }
}

/// Converts a time from microseconds since 1601 to microseconds since 1970. A time of a 32-bit
/// trace is truncated and stays unchanged.
pub fn unix_micros(time: u64) -> u64 {
    const FROM_1601: u64 = 11_644_473_600_000_000;
    time.checked_sub(FROM_1601).unwrap_or(time)
}
