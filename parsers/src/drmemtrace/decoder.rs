//! Decodes the records of a file into visible records.

use std::sync::Arc;

use stepback_machine::{AccessKind, InstructionSet};

use crate::drmemtrace::head::FileType;
use crate::drmemtrace::opening::{ChunkRepetitions, HeaderMarkers, InvalidRecords, VERSION};
use crate::drmemtrace::raw_record::{EncodingSlot, TraceEntry, Width, kind, marker};
use crate::drmemtrace::record::{IDLE, InstructionRecord, RecordSink, ThreadTable};
use crate::events::{InputLocation, ThreadNumber};
use crate::marker::{Marker, MarkerKind};
use crate::problem::{DrmemtraceFault, Problem, ProblemKind};
use crate::step_store::record::{StoredAccess, StoredHint};

/// First version in which kernel events state their address.
const ADDRESS_VERSION: u64 = 3;

/// Decodes the records of one file.
pub(super) struct RecordDecoder {
    pub(super) input: u16,
    pub(super) name: Arc<str>,
    /// Width of the records; `None` before the first block.
    pub(super) width: Option<Width>,
    /// Thread of the following records; `None` until a record or the file's name states it.
    pub(super) thread: Option<ThreadNumber>,
    /// True when the sink got the thread's identity.
    pub(super) is_stated: bool,
    /// Pseudo-thread for idle records, the majority in the files of some cores.
    idle: Option<ThreadNumber>,
    pub(super) opening: Option<HeaderMarkers>,
    pub(super) chunks: ChunkRepetitions,
    pub(super) junk: InvalidRecords,
    /// Newest version that was reported as too new: cores repeat their headers.
    pub(super) stated_version: u64,
    /// Version that the file states.
    pub(super) version: u64,
    /// Instruction set of the file.
    set: InstructionSet,
    /// Instruction set assumed if the file does not state it.
    pub(super) assumed: Option<InstructionSet>,
    encoding: EncodingSlot,
    /// Target of the next indirect branch.
    target: Option<u64>,
    /// Address of the last instruction.
    pc: u64,
    /// Address after the last instruction: the address of the next one in a bundle.
    next_pc: u64,
    /// Address of the filtered-out instruction that made the following accesses.
    data_pc: Option<u64>,
    /// Flush without its end record until now.
    flush: Option<TraceEntry>,
    /// Number of visible records until now.
    records: u64,
    /// True when the decoder may pass the time at which it paused.
    is_time_due: bool,
    /// Type of the last record: a complete trace ends with a footer.
    last_kind: u16,
    /// Offset of the current record.
    offset: u64,
}

/// Destination of decoded records.
pub(super) struct DecoderOutput<'a, S> {
    pub sink: &'a mut S,
    pub threads: &'a mut ThreadTable,
    /// True when a decoder must stop before each time to let other files have their turn.
    pub is_merging: bool,
}

/// Reason for a stop of the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecoderPause {
    /// The decoder needs more bytes.
    Block,
    /// The next record is a time; `bytes` is the length of the records before it.
    Time { time: u64, bytes: usize },
}

impl RecordDecoder {
    pub fn new(input: u16, name: Arc<str>) -> Self {
        Self {
            input,
            name,
            width: None,
            thread: None,
            is_stated: false,
            idle: None,
            opening: Some(HeaderMarkers::default()),
            chunks: ChunkRepetitions::default(),
            junk: InvalidRecords::default(),
            stated_version: VERSION,
            version: VERSION,
            set: InstructionSet::X86_64,
            assumed: None,
            encoding: EncodingSlot::default(),
            target: None,
            pc: 0,
            next_pc: 0,
            data_pc: None,
            flush: None,
            records: 0,
            is_time_due: false,
            last_kind: kind::FOOTER,
            offset: 0,
        }
    }

    /// Drops state that waits for a record of the same chunk. Chunks decode independently, so only
    /// damage leaves any.
    pub fn end_member(&mut self) {
        self.encoding = EncodingSlot::default();
        (self.target, self.data_pc, self.flush) = (None, None, None);
    }

    /// Returns whether the last record was the footer of the trace.
    pub fn is_complete(&self) -> bool {
        self.last_kind == kind::FOOTER
    }

    /// Decodes the records at `offset` in the file, up to their end or the next time.
    pub fn decode<S: RecordSink>(
        &mut self,
        bytes: &[u8],
        offset: u64,
        out: &mut DecoderOutput<'_, S>,
    ) -> DecoderPause {
        if bytes.is_empty() {
            return DecoderPause::Block; // no bytes, so the width is unknown
        }
        let width = self.width.unwrap_or_else(|| {
            let width = Width::of_first(bytes);
            self.set = FileType::default().likely_instruction_set(width, self.assumed);
            width
        });
        self.width = Some(width);
        self.offset = offset;
        match width {
            Width::Wide => self.run(width, bytes.as_chunks().0.iter().map(TraceEntry::wide), out),
            Width::Narrow => self.run(
                width,
                bytes.as_chunks().0.iter().map(TraceEntry::narrow),
                out,
            ),
        }
    }

    /// Main loop over all records of a trace; rare records are handled elsewhere.
    #[inline]
    fn run<S: RecordSink>(
        &mut self,
        width: Width,
        records: impl Iterator<Item = TraceEntry>,
        out: &mut DecoderOutput<'_, S>,
    ) -> DecoderPause {
        let (start, step) = (self.offset, width.bytes() as u64);
        for record in records {
            let is_open = self.opening.is_none() || self.open(record, out);
            match record.kind {
                _ if !is_open => {}
                10..=16 | 31 | 48 | 49 => self.instruction(record, out),
                kind::READ | kind::WRITE => self.data(record, out),
                kind::ENCODING => self.encoding(record, out),
                kind::MARKER if record.size == marker::TIMESTAMP && self.is_pause(record, out) => {
                    let bytes = usize::try_from(self.offset - start).unwrap_or(usize::MAX);
                    return DecoderPause::Time {
                        time: record.value,
                        bytes,
                    };
                }
                kind::MARKER => self.marker(record, out),
                _ => self.other(record, out),
            }
            self.last_kind = record.kind;
            self.offset += step;
        }
        DecoderPause::Block
    }

    /// Returns whether the decoder must stop before a time.
    fn is_pause<S: RecordSink>(&mut self, record: TraceEntry, out: &DecoderOutput<'_, S>) -> bool {
        let is_visible = !self.chunks.is_repeated(self.thread) && is_time(record.value, self.width);
        out.is_merging && is_visible && !std::mem::take(&mut self.is_time_due)
    }

    /// Lets the decoder pass the time at which it paused.
    pub fn resume(&mut self) {
        self.is_time_due = true;
    }

    /// Counts a visible record and returns its thread.
    #[inline]
    fn visible<S: RecordSink>(&mut self, out: &mut DecoderOutput<'_, S>) -> ThreadNumber {
        self.records = self.records.saturating_add(1); // a file may state any ordinal
        match self.thread {
            Some(thread) if self.is_stated => thread,
            _ => self.tell(out),
        }
    }

    #[cold]
    fn tell<S: RecordSink>(&mut self, out: &mut DecoderOutput<'_, S>) -> ThreadNumber {
        let thread = self.thread.unwrap_or_else(|| {
            let tid = tid_in_name(&self.name);
            let is_in_name = tid.is_some();
            self.complain(out, DrmemtraceFault::NoThread { is_in_name });
            out.threads.number(tid.unwrap_or(0))
        });
        self.thread = Some(thread);
        self.is_stated = true;
        out.threads.tell(thread, out.sink);
        thread
    }

    #[inline]
    fn instruction<S: RecordSink>(&mut self, record: TraceEntry, out: &mut DecoderOutput<'_, S>) {
        if record.size == 0 {
            self.data_pc = (record.value != self.pc).then_some(record.value);
            return;
        }
        let is_indirect = matches!(
            record.kind,
            kind::INDIRECT_JUMP | kind::INDIRECT_CALL | kind::RETURN
        );
        let target = if is_indirect {
            self.target.take()
        } else {
            None
        };
        self.pc = record.value;
        self.next_pc = record.value.wrapping_add(u64::from(record.size));
        self.data_pc = None;
        let instruction = InstructionRecord {
            input: self.input,
            thread: self.visible(out),
            kind: record.kind as u8, // at most 49
            set: self.set,
            length_bytes: record.size,
            pc: record.value,
            encoding: self.encoding.take(),
            target,
        };
        out.sink.instruction(&instruction);
    }

    #[inline]
    fn data<S: RecordSink>(&mut self, record: TraceEntry, out: &mut DecoderOutput<'_, S>) {
        let thread = self.visible(out);
        let kind = match record.kind {
            kind::WRITE => AccessKind::Write,
            _ => AccessKind::Read,
        };
        let access = StoredAccess {
            kind,
            size_bytes: record.size,
            address: record.value,
            pc: self.data_pc,
        };
        out.sink.data(thread, access);
    }

    #[inline]
    fn encoding<S: RecordSink>(&mut self, record: TraceEntry, out: &mut DecoderOutput<'_, S>) {
        let width = if self.width == Some(Width::Narrow) {
            4
        } else {
            8
        };
        if !(1..=width).contains(&record.size) || !self.encoding.push(record.size, record.value) {
            self.junk(record, out);
        }
    }

    pub(super) fn marker<S: RecordSink>(
        &mut self,
        record: TraceEntry,
        out: &mut DecoderOutput<'_, S>,
    ) {
        match record.size {
            marker::TIMESTAMP if self.chunks.is_repeated(self.thread) => return,
            marker::CPU if self.chunks.end_repetition(self.thread) => return,
            marker::FILE_TYPE => {
                let width = self.width.unwrap_or(Width::Wide);
                self.set = FileType(record.value).likely_instruction_set(width, self.assumed);
            }
            marker::CHUNK_INSTRUCTIONS => self.chunks.begin(record.value),
            marker::RECORD_ORDINAL => return self.check_ordinal(record.value, out),
            marker::BRANCH_TARGET => {
                self.target = Some(record.value);
                return;
            }
            marker::CORE_IDLE | marker::CORE_WAIT => return self.idle(record, out),
            _ => {}
        }
        let value = match record.size {
            marker::CPU | marker::TIMESTAMP if is_all_ones(record.value, self.width) => u64::MAX,
            // The value is no address but an offset into some module.
            marker::KERNEL_EVENT if self.version < ADDRESS_VERSION => 0,
            _ => record.value,
        };
        self.push_marker(
            Marker {
                kind: MarkerKind(record.size),
                value,
            },
            0,
            out,
        );
        if record.size == marker::CHUNK_FOOTER {
            self.chunks.end_chunk(self.thread);
        }
    }

    fn push_marker<S: RecordSink>(
        &mut self,
        marker: Marker,
        size_bytes: u64,
        out: &mut DecoderOutput<'_, S>,
    ) {
        let thread = self.visible(out);
        out.sink.marker(thread, marker, size_bytes);
    }

    /// Emits a record of an idle core, which belongs to no thread.
    fn idle<S: RecordSink>(&mut self, record: TraceEntry, out: &mut DecoderOutput<'_, S>) {
        let thread = *self.idle.get_or_insert_with(|| {
            let thread = out.threads.number(IDLE);
            out.threads.tell(thread, out.sink);
            thread
        });
        self.records = self.records.saturating_add(1);
        out.sink.marker(
            thread,
            Marker {
                kind: MarkerKind(record.size),
                value: record.value,
            },
            0,
        );
    }

    /// Decodes rare record types.
    #[cold]
    fn other<S: RecordSink>(&mut self, record: TraceEntry, out: &mut DecoderOutput<'_, S>) {
        match record.kind {
            kind::NO_FETCH => self.instruction(record, out),
            kind::MAYBE_FETCH => {
                let kind = if record.value == self.pc {
                    kind::NO_FETCH
                } else {
                    kind::INSTRUCTION
                };
                self.instruction(TraceEntry { kind, ..record }, out);
            }
            2..=9 | 27 | 32..=46 => self.hint(record, u64::from(record.size), out),
            kind::BUNDLE => self.bundle(record, out),
            kind::INSTRUCTION_FLUSH | kind::DATA_FLUSH if record.size == 0 => {
                self.flush = Some(record)
            }
            kind::INSTRUCTION_FLUSH | kind::DATA_FLUSH => {
                self.hint(record, u64::from(record.size), out)
            }
            kind::INSTRUCTION_FLUSH_END | kind::DATA_FLUSH_END => self.end_flush(record, out),
            kind::THREAD => self.set_thread(record.value, out),
            kind::THREAD_EXIT => {
                self.set_thread(record.value, out);
                self.push_marker(
                    Marker {
                        kind: MarkerKind::THREAD_EXIT,
                        value: record.value,
                    },
                    0,
                    out,
                );
            }
            kind::PROCESS => self.set_process(record.value, out),
            kind::HEADER => self.note_version(record.value, out),
            kind::FOOTER => {}
            _ => self.junk(record, out),
        }
    }

    /// Decodes a bundle: each byte of the value is the length of an instruction.
    fn bundle<S: RecordSink>(&mut self, record: TraceEntry, out: &mut DecoderOutput<'_, S>) {
        let lengths = record.value.to_le_bytes();
        let width = if self.width == Some(Width::Narrow) {
            4
        } else {
            8
        };
        let Some(lengths) = lengths
            .get(..usize::from(record.size))
            .filter(|lengths| lengths.len() <= width)
        else {
            return self.junk(record, out);
        };
        for length in lengths {
            let next = TraceEntry {
                kind: kind::INSTRUCTION,
                size: u16::from(*length),
                value: self.next_pc,
            };
            self.instruction(next, out);
        }
    }

    /// Emits a prefetch, or a flush of this length.
    fn hint<S: RecordSink>(
        &mut self,
        record: TraceEntry,
        size_bytes: u64,
        out: &mut DecoderOutput<'_, S>,
    ) {
        let kind = MarkerKind(MarkerKind::FIRST_RECORD.0 + record.kind);
        let marker = Marker {
            kind,
            value: record.value,
        };
        let thread = self.visible(out);
        let hint = StoredHint {
            marker,
            size_bytes,
            pc: self.data_pc,
        };
        out.sink.hint(thread, hint);
    }

    fn end_flush<S: RecordSink>(&mut self, end: TraceEntry, out: &mut DecoderOutput<'_, S>) {
        match self.flush.take() {
            Some(begin) if begin.kind + 1 == end.kind && begin.value <= end.value => {
                self.hint(begin, end.value - begin.value, out);
            }
            _ => self.junk(end, out),
        }
    }

    pub(super) fn set_thread<S: RecordSink>(&mut self, tid: u64, out: &mut DecoderOutput<'_, S>) {
        let tid = if is_all_ones(tid, self.width) {
            IDLE
        } else {
            tid
        };
        self.thread = Some(out.threads.number(tid));
        self.is_stated = false;
    }

    pub(super) fn set_process<S: RecordSink>(&mut self, pid: u64, out: &mut DecoderOutput<'_, S>) {
        if let Some(thread) = self.thread.filter(|_| !is_all_ones(pid, self.width)) {
            out.threads.set_process(thread, pid);
            self.is_stated = false;
        }
    }

    /// Compares the number of records with the ordinal that the file states here: a larger ordinal
    /// means that records are missing.
    fn check_ordinal<S: RecordSink>(&mut self, ordinal: u64, out: &mut DecoderOutput<'_, S>) {
        self.chunks.begin(1); // only chunks begin with this marker
        if ordinal > self.records {
            let missing = ordinal - self.records;
            self.records = ordinal;
            self.complain(out, DrmemtraceFault::MissingRecords(missing));
        }
    }

    /// Reports an invalid record.
    #[cold]
    pub(super) fn junk<S: RecordSink>(
        &mut self,
        record: TraceEntry,
        out: &mut DecoderOutput<'_, S>,
    ) {
        if self.junk.is_first(self.offset) {
            let TraceEntry { kind, size, value } = record;
            self.complain(out, DrmemtraceFault::InvalidRecord { kind, size, value });
        }
    }

    /// Reports a problem at the current record.
    #[cold]
    pub(super) fn complain<S: RecordSink>(
        &self,
        out: &mut DecoderOutput<'_, S>,
        fault: DrmemtraceFault,
    ) {
        out.sink.problem(&problem(&self.name, self.offset, fault));
    }
}

/// Creates a problem at an offset in the records of a file.
pub(super) fn problem(name: &str, offset: u64, fault: DrmemtraceFault) -> Problem {
    Problem {
        place: InputLocation {
            offset,
            line_in_range: 0,
        },
        column: 0,
        kind: ProblemKind::Drmemtrace {
            file: name.to_owned(),
            offset,
            fault,
        },
    }
}

/// Returns false for the placeholder of a time before anything ran.
pub(super) fn is_time(value: u64, width: Option<Width>) -> bool {
    !is_all_ones(value, width)
}

fn is_all_ones(value: u64, width: Option<Width>) -> bool {
    value == u64::MAX || width == Some(Width::Narrow) && value == u64::from(u32::MAX)
}

/// Returns the tid in names like `drmemtrace.app.1234.0000.trace.zip`.
fn tid_in_name(name: &str) -> Option<u64> {
    let (before, _) = name.rsplit_once(".trace")?;
    before.rsplit('.').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tid_is_before_the_last_ending_of_the_name() {
        assert_eq!(
            tid_in_name("drmemtrace.app.1234.0000.trace.zip"),
            Some(1234)
        );
        assert_eq!(
            tid_in_name("drmemtrace.my.traced.1234.0000.trace.zip"),
            Some(1234)
        );
        assert_eq!(tid_in_name("drmemtrace.app.zip"), None);
    }
}
