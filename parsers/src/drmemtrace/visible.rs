//! Visible records of a trace, read back from its step store ([`visible_records`]), and their lines
//! of text, which resemble those of DynamoRIO's `view` tool ([`push_line`]).

use std::io;
use std::ops::Range;

use stepback_machine::AccessKind;
use stepback_machine::flow::RecordedBranch;

use crate::drmemtrace::marker_names::{hint_word, marker_name};
use crate::drmemtrace::record::ThreadIdentity;
use crate::events::ThreadNumber;
use crate::marker::{Marker, MarkerKind};
use crate::step_store::block_reader::BlockVisitor;
use crate::step_store::code::Code;
use crate::step_store::items::first_item;
use crate::step_store::record::{StoredAccess, StoredHint, StoredMarker};
use crate::step_store::store::{StepStore, StoreScratch};
use crate::text::line_writer::{LineWriter, decimal_digits};

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

/// Returns a record as a line of text, without line end.
pub fn record_text(record: &VisibleRecord<'_>, threads: &[ThreadIdentity]) -> String {
    let mut line = Vec::new();
    push_line(&mut line, record, threads);
    String::from_utf8_lossy(&line).into_owned()
}

/// Appends a record, similar to DynamoRIO's `view` tool: ordinal of the record, of the instruction,
/// thread, content.
pub fn push_line(out: &mut Vec<u8>, record: &VisibleRecord<'_>, threads: &[ThreadIdentity]) {
    let identity = threads
        .get(usize::from(record.thread.0))
        .copied()
        .unwrap_or_default();
    let (workload, tid) = identity.parts();
    let mut line = LineWriter::new(out);
    line.number_in(record.ordinal, 12)
        .text(" ")
        .number_in(record.instructions, 11)
        .text(": ");
    let thread_columns = 3 + decimal_digits(workload) + decimal_digits(tid);
    line.spaces(10usize.saturating_sub(thread_columns));
    line.text("W")
        .number(workload)
        .text(".T")
        .number(tid)
        .text(" ");
    match &record.content {
        RecordContent::Instruction(code, target) => push_instruction(&mut line, code, *target),
        RecordContent::Access(StoredAccess {
            kind,
            size_bytes,
            address,
            pc,
        }) => {
            let word = if *kind == AccessKind::Write {
                "write    "
            } else {
                "read     "
            };
            line.text(word).number_in(u64::from(*size_bytes), 5);
            line.text(" byte(s) @ ").address(*address);
            if let Some(pc) = pc {
                line.text(" by PC ").address(*pc);
            }
        }
        RecordContent::Hint(hint) => push_hint(&mut line, *hint),
        RecordContent::Marker(marker) => push_marker(&mut line, *marker),
        RecordContent::Problem(message) => _ = line.text("<").text(message).text(">"),
    }
}

fn push_instruction(line: &mut LineWriter<'_>, code: &Code, target: Option<u64>) {
    line.text("ifetch   ")
        .number_in(u64::from(code.length_bytes), 5)
        .text(" byte(s) @ ")
        .address(code.pc);
    for byte in code.encoding.unwrap_or_default().bytes() {
        line.text(" ").byte(*byte);
    }
    if let RecordedBranch::Conditional(Some(is_taken)) = code.branch {
        line.text(if is_taken { " (taken)" } else { " (untaken)" });
    }
    if let Some(target) = target {
        line.text(" (target ").hex(target).text(")");
    }
}

fn push_marker(line: &mut LineWriter<'_>, stored: StoredMarker) {
    let StoredMarker {
        marker: Marker { kind, value },
        size_bytes,
        count,
    } = stored;
    if kind == MarkerKind::THREAD_EXIT {
        line.text("<thread ").number(value).text(" exited>");
        return;
    }
    if kind == MarkerKind::REPETITION {
        line.text("non-fetched instr ")
            .number_in(size_bytes, 2)
            .text(" byte(s) @ ")
            .address(value);
        return;
    }
    line.text("<marker: ").text(&marker_name(kind)).text(" ");
    match is_number(kind) {
        true => line.number(value),
        false => line.hex(value),
    };
    if count > 1 {
        line.text(", ").number(count).text(" times");
    }
    line.text(">");
}

fn push_hint(line: &mut LineWriter<'_>, hint: StoredHint) {
    let StoredHint {
        marker: Marker { kind, value },
        size_bytes,
        pc,
    } = hint;
    let word = hint_word(kind);
    line.text(&word)
        .spaces(12usize.saturating_sub(word.len()))
        .number_in(size_bytes, 2);
    line.text(" byte(s) @ ").address(value);
    if let Some(pc) = pc {
        line.text(" by PC ").address(pc);
    }
}

/// Returns whether a marker's value is shown in decimal.
fn is_number(kind: MarkerKind) -> bool {
    !matches!(kind.0, 0 | 1 | 5..=7 | 9 | 13 | 15..=17 | 24 | 29 | 41..=46) && kind.0 < 100
}
