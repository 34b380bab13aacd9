//! Reads the records of a trace from front to back, or from the begin of a group on
//! ([`TraceReader`]).
//!
//! A record with an unknown descriptor ends a chunk there: its length is unknown. The next chunk of
//! a zstf file begins at a known place and address, so reading goes on with it.

use stepback_machine::InstructionSet;

use crate::packed::Damage;
use crate::problem::{ProblemKind, StfFault};
use crate::stf::cursor::{RecordCursor, RecordSink};
use crate::stf::group::InstructionGroup;
use crate::stf::head::{foreign_isa, set_of_features, set_of_mode};
use crate::stf::output::StepOutput;
use crate::stf::parts::ChunkBegin;
use crate::stf::record::{RecordStop, StfRecord, words_of};
use crate::stf::recorder::{GroupOpcode, RecorderState, StfRecorder, group_fault};
use crate::stf::threads::ThreadRecord;
use crate::stf::usual::UsualRecord;

/// Newest major version that is supported.
const VERSION: u32 = 1;
/// Maximum number of bytes that are kept of a group in which a part of a chunk ends.
const GROUP_BYTES: usize = 64 << 10;

/// Reader of records.
pub struct TraceReader<O> {
    name: String,
    /// Converts groups to steps.
    pub recorder: StfRecorder<O>,
    progress: ReadProgress,
    group: InstructionGroup,
    /// Earlier bytes of the group, for outputs that do not take the effects of all groups.
    group_bytes: Vec<u8>,
}

/// State between two groups, except the values of registers.
#[derive(Clone, Debug)]
pub struct ReaderState {
    /// Position in the records.
    pub progress: ReadProgress,
    /// State of the recorder.
    pub recorder: RecorderState,
}

impl ReaderState {
    /// Returns the state before the first record. `set` is the instruction set until the trace
    /// states one.
    pub fn new(set: InstructionSet) -> Self {
        Self {
            progress: ReadProgress::default(),
            recorder: RecorderState::new(set),
        }
    }
}

/// Position in the records of a trace.
#[derive(Clone, Debug, Default)]
pub struct ReadProgress {
    cursor: RecordCursor,
    /// Offset of the current record in its chunk.
    offset: u64,
    /// Number of records until now.
    records: u64,
    chunk: ChunkProgress,
    has_mode: bool,
}

/// Progress in a chunk.
#[derive(Clone, Debug, Default)]
struct ChunkProgress {
    /// Number of the chunk, if the file is read by chunks.
    number: Option<u64>,
    /// Number of its instructions, if known.
    expected: Option<u64>,
    /// Number of its instructions until now.
    instructions: u64,
}

impl<O: StepOutput> TraceReader<O> {
    /// Begins before the first record, or between two groups.
    pub fn new(name: &str, progress: ReadProgress, recorder: StfRecorder<O>) -> Self {
        Self {
            name: name.to_owned(),
            recorder,
            progress,
            group: InstructionGroup::default(),
            group_bytes: Vec::new(),
        }
    }

    /// Returns the state. Must be called between two groups.
    pub fn state(&self) -> ReaderState {
        ReaderState {
            progress: self.progress.clone(),
            recorder: self.recorder.state.clone(),
        }
    }

    /// Returns the position in the records of the chunk.
    pub fn cursor(&mut self) -> &mut RecordCursor {
        &mut self.progress.cursor
    }

    /// Begins a chunk.
    pub fn begin(&mut self, begin: &ChunkBegin) {
        self.progress.chunk = ChunkProgress {
            number: begin.number,
            expected: begin.instructions,
            ..ChunkProgress::default()
        };
        self.progress.cursor.begin();
        self.progress.offset = 0;
        if let Some(pc) = begin.start_pc {
            self.recorder.resume_at(pc);
        }
        if begin.is_misplaced {
            self.break_off(StfFault::MisplacedChunk);
        }
    }

    /// Reads records until the output pauses, or until the last complete one; returns the number of
    /// bytes that were read.
    pub fn read(&mut self, bytes: &[u8]) -> usize {
        let mut cursor = std::mem::take(&mut self.progress.cursor);
        let (used, stop) = cursor.read(bytes, &mut *self);
        self.progress.offset = cursor.offset;
        self.progress.cursor = cursor;
        if let Some(stop) = stop {
            self.break_off(fault_of(stop));
        }
        used
    }

    /// Counts a record.
    #[inline(always)]
    fn count_record(&mut self) {
        self.progress.records += 1;
        if self.group.first_record == 0 {
            self.group.first_record = self.progress.records;
        }
    }

    /// Takes the opcode that ends a group; the caller clears the group.
    #[inline(always)]
    fn opcode(&mut self, opcode: GroupOpcode) {
        self.progress.chunk.instructions += 1;
        self.recorder.instruction(&self.group, opcode);
        if let Some(fault) = group_fault(&self.group) {
            self.problem(fault);
        }
    }

    /// Takes a record that belongs to no instruction, or describes one.
    #[inline(never)]
    fn statement(&mut self, record: &StfRecord<'_>) {
        match *record {
            StfRecord::Version { major, minor } => {
                self.recorder.note(format!("STF {major}.{minor}"));
                if major != VERSION {
                    self.problem(StfFault::NewVersion { major, minor });
                }
            }
            StfRecord::Comment(text) => self.recorder.note(String::from_utf8_lossy(text).into()),
            StfRecord::Isa(isa) => {
                if let Some(name) = foreign_isa(isa) {
                    self.problem(StfFault::ForeignIsa(name));
                }
            }
            StfRecord::EncodingMode(mode) => match set_of_mode(mode) {
                Some(set) => {
                    self.progress.has_mode = true;
                    self.recorder.set_instruction_set(set);
                }
                None => self.problem(StfFault::UnknownMode(mode)),
            },
            StfRecord::Generator {
                number,
                version: [major, minor, patch],
                text,
            } => {
                let text = String::from_utf8_lossy(text);
                self.recorder.note(format!(
                    "generator {number}, version {major}.{minor}.{patch}, {text}"
                ));
            }
            StfRecord::Features(features) => {
                if !self.progress.has_mode {
                    self.recorder.set_instruction_set(set_of_features(features));
                }
                self.recorder.note(features_text(features));
            }
            StfRecord::Thread { hart, pid, tid } => {
                self.recorder.set_thread(ThreadRecord { hart, pid, tid });
            }
            StfRecord::VectorLength(bits) => {
                self.recorder
                    .note(format!("vector registers of {bits} bits"));
            }
            StfRecord::IsaText(text) => {
                let text = String::from_utf8_lossy(text);
                self.recorder.note(format!("instruction set {text}"));
            }
            StfRecord::PageWalk {
                address,
                page_bytes,
                entries,
                ..
            } => self
                .recorder
                .note(page_walk_text(address, page_bytes, entries)),
            StfRecord::MicroOp { size_bytes, word } => self
                .recorder
                .note(format!("micro-op of {size_bytes} bytes, {word:#010x}")),
            // The data of an access, its attributes and the state of a bus are not shown.
            StfRecord::Identifier(_)
            | StfRecord::HeaderEnd
            | StfRecord::Ready(_)
            | StfRecord::BusAccess
            | StfRecord::BusData => {}
            // These belong to groups.
            StfRecord::ForcePc(_)
            | StfRecord::Target(_)
            | StfRecord::Register { .. }
            | StfRecord::Access { .. }
            | StfRecord::Data(_)
            | StfRecord::Event { .. }
            | StfRecord::EventTarget(_)
            | StfRecord::Opcode { .. } => {}
        }
    }

    /// Ends a chunk.
    pub fn end(&mut self, damage: Option<Damage>) {
        if self.progress.cursor.is_over {
            return;
        }
        if let Some(damage) = damage {
            self.break_off(StfFault::Packed(damage));
        } else if let Some(bytes) = self.progress.cursor.incomplete_bytes() {
            self.break_off(StfFault::InsideRecord(bytes));
        }
    }

    /// Ends reading in a chunk. Records of an instruction that is not complete are dropped.
    fn break_off(&mut self, fault: StfFault) {
        self.problem(fault);
        self.drop_group();
        self.progress.cursor.stop();
        if self.progress.chunk.number.is_some() {
            let expected = self.progress.chunk.expected;
            let lost = expected.and_then(|all| all.checked_sub(self.progress.chunk.instructions));
            if lost != Some(0) {
                self.recorder.lose(lost);
            }
        }
    }

    fn drop_group(&mut self) {
        if !self.group.is_empty() {
            self.problem(StfFault::NoOpcode);
        }
        self.group.clear();
    }

    /// Ends the trace.
    pub fn finish(&mut self) {
        self.drop_group();
        let placeless = self.recorder.take_placeless();
        if placeless > 0 {
            self.problem(StfFault::NoAddress(placeless));
        }
        self.recorder.finish(self.progress.records);
    }

    fn problem(&mut self, fault: StfFault) {
        self.recorder.problem(&ProblemKind::Stf {
            file: self.name.clone(),
            chunk: self.progress.chunk.number,
            offset: self.progress.offset,
            fault,
        });
    }
}

impl<O: StepOutput> TraceReader<O> {
    /// Adds a record with a fixed length to the group.
    #[inline(always)]
    fn add_usual(&mut self, record: UsualRecord) {
        match record {
            UsualRecord::Register { number, kind, word } => {
                self.group.add_register(number, kind, word);
            }
            UsualRecord::Access {
                address,
                size_bytes,
                kind,
            } => self.group.add_access(address, size_bytes, kind),
            UsualRecord::Data(word) => self.group.add_data(word),
            UsualRecord::Target(target) => self.group.target = Some(target),
            UsualRecord::Opcode(_) => {}
        }
    }

    /// Passes the effects of a new instruction to an output that does not take those of all
    /// instructions. `bytes` are the records of its group that were not kept until now.
    #[inline(never)]
    fn first_execution(&mut self, bytes: &[u8], opcode: GroupOpcode) {
        let mut kept = std::mem::take(&mut self.group_bytes);
        kept.extend_from_slice(bytes);
        let mut place = 0;
        while let Some((usual, length)) = UsualRecord::at(&kept, place) {
            self.add_usual(usual);
            place += length;
        }
        self.recorder.first_effects(&self.group, opcode);
        let records = self.progress.records + 1 - self.group.first_record;
        self.recorder.output.end_first_execution(records);
    }
}

impl<O: StepOutput> RecordSink for &mut TraceReader<O> {
    /// Most records describe instructions: each goes to its group as soon as its fields are read.
    #[inline(always)]
    fn take_usual(&mut self, bytes: &[u8], offset: u64) -> usize {
        let (mut used, mut group_start) = (0, 0);
        while let Some((usual, length)) = UsualRecord::at(bytes, used) {
            self.count_record();
            if let UsualRecord::Opcode(opcode) = usual {
                self.progress.offset = offset + used as u64;
                self.opcode(opcode);
                if self.recorder.output.is_first_execution() {
                    let records = bytes.get(group_start..used).unwrap_or_default();
                    self.first_execution(records, opcode);
                }
                self.group.clear();
                self.group_bytes.clear();
                group_start = used + length;
                if self.recorder.output.is_paused() {
                    return group_start;
                }
            } else if O::TAKES_EFFECTS || matches!(usual, UsualRecord::Target(_)) {
                self.add_usual(usual);
            }
            used += length;
        }
        if !O::TAKES_EFFECTS {
            let records = bytes.get(group_start..used).unwrap_or_default();
            let room = GROUP_BYTES.saturating_sub(self.group_bytes.len());
            let kept = records.get(..room).unwrap_or(records);
            self.group_bytes.extend_from_slice(kept);
        }
        used
    }

    #[inline(always)]
    fn is_paused(&self) -> bool {
        self.recorder.output.is_paused()
    }

    #[inline(always)]
    fn record(&mut self, record: &StfRecord<'_>, offset: u64) {
        self.progress.offset = offset;
        self.count_record();
        if let StfRecord::Opcode { word, length_bytes } = *record {
            self.opcode(GroupOpcode { word, length_bytes });
            self.group.clear();
        } else if !self.group.add(record) {
            self.statement(record);
        }
    }
}

/// Returns the fault at which reading stopped.
pub fn fault_of(stop: RecordStop) -> StfFault {
    match stop {
        RecordStop::Incomplete => StfFault::InsideRecord(0),
        RecordStop::Unknown(number) => StfFault::UnknownDescriptor(number),
        RecordStop::NoVectorLength => StfFault::NoVectorLength,
        RecordStop::Transactions(number) => StfFault::Transactions(number),
    }
}

/// Names of the features by their bits (stf_lib, `stf_enums.hpp`, `TRACE_FEATURES`).
const FEATURES: [(u64, &str); 12] = [
    (0x1, "physical addresses"),
    (0x4, "operand values"),
    (0x8, "events"),
    (0x20, "RV64"),
    (0x100, "page tables"),
    (0x400, "process ids"),
    (0x2000, "register state"),
    (0x8000, "threads"),
    (0x1_0000, "cores"),
    (0x4_0000, "vectors"),
    (0x8_0000, "64-bit events"),
    (0x10_0000, "transactions"),
];

fn features_text(features: u64) -> String {
    let names: Vec<&str> = FEATURES
        .iter()
        .filter(|(bit, _)| features & bit != 0)
        .map(|(_, name)| *name)
        .collect();
    let known = FEATURES.iter().fold(0, |known, (bit, _)| known | bit);
    let mut text = format!("features {features:#x}: {}", names.join(", "));
    if features & !known != 0 {
        text += &format!(", unknown {:#x}", features & !known);
    }
    text
}

fn page_walk_text(address: u64, page_bytes: u32, entries: &[u8]) -> String {
    let words: Vec<u64> = words_of(entries).collect();
    let entries: Vec<String> = words
        .as_chunks::<2>()
        .0
        .iter()
        .map(|[place, entry]| format!("{entry:#x} at {place:#x}"))
        .collect();
    format!(
        "page walk of {address:#x}, page of {page_bytes} bytes: {}",
        entries.join(", ")
    )
}
