//! Reads a trace from front to back and records its instructions ([`record_trace`]).
//!
//! A record with an unknown descriptor ends a chunk there: its length is unknown. The next chunk of
//! a zstf file begins at a known place and address, so reading goes on with it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use stepback_machine::InstructionSet;

use crate::packed::Damage;
use crate::problem::{ProblemKind, StfFault};
use crate::read_at::TraceFile;
use crate::step_store::encoder::{BlockSink, Encoder};
use crate::step_store::record::ReadEnd;
use crate::stf::container::StfContainer;
use crate::stf::cursor::{RecordCursor, RecordSink};
use crate::stf::group::InstructionGroup;
use crate::stf::head::{foreign_isa, set_of_features, set_of_mode};
use crate::stf::parts::{ChunkBegin, PartReader, StfPart};
use crate::stf::record::{RecordStop, StfRecord, words_of};
use crate::stf::recorder::{GroupOpcode, StfRecorder, group_fault};
use crate::stf::threads::ThreadRecord;
use crate::stf::usual::UsualRecord;

/// Newest major version that is supported.
const VERSION: u32 = 1;

/// Records the instructions of a trace. `set` is the instruction set until the trace states one.
///
/// # Errors
/// The file could not be read.
pub fn record_trace<B: BlockSink>(
    file: &TraceFile,
    container: StfContainer,
    set: InstructionSet,
    is_stopped: &AtomicBool,
    encoder: &mut Encoder<B>,
) -> io::Result<ReadEnd> {
    let mut parts = PartReader::open(file, container)?;
    let mut reader = TraceReader::new(file.name.clone(), StfRecorder::new(encoder, set));
    while let Some(part) = parts.next_part()? {
        if is_stopped.load(Ordering::Relaxed) {
            return Ok(ReadEnd::Stopped);
        }
        match part {
            StfPart::Begin(begin) => reader.begin(&begin),
            StfPart::Bytes(bytes) => reader.take(bytes),
            StfPart::End(damage) => reader.end(damage),
        }
    }
    reader.finish();
    Ok(ReadEnd::Complete)
}

/// State between two parts of a trace.
struct TraceReader<'e, B> {
    name: String,
    recorder: StfRecorder<'e, B>,
    cursor: RecordCursor,
    /// Offset of the current record in its chunk.
    offset: u64,
    group: InstructionGroup,
    /// Number of records until now.
    records: u64,
    chunk: ChunkProgress,
    has_mode: bool,
}

/// Progress in a chunk.
#[derive(Debug, Default)]
struct ChunkProgress {
    /// Number of the chunk, if the file is read by chunks.
    number: Option<u64>,
    /// Number of its instructions, if known.
    expected: Option<u64>,
    /// Number of its instructions until now.
    instructions: u64,
}

impl<'e, B: BlockSink> TraceReader<'e, B> {
    fn new(name: String, recorder: StfRecorder<'e, B>) -> Self {
        Self {
            name,
            recorder,
            cursor: RecordCursor::default(),
            offset: 0,
            group: InstructionGroup::default(),
            records: 0,
            chunk: ChunkProgress::default(),
            has_mode: false,
        }
    }

    fn begin(&mut self, begin: &ChunkBegin) {
        self.chunk = ChunkProgress {
            number: begin.number,
            expected: begin.instructions,
            ..ChunkProgress::default()
        };
        self.cursor.begin();
        self.offset = 0;
        if let Some(pc) = begin.start_pc {
            self.recorder.resume_at(pc);
        }
        if begin.is_misplaced {
            self.break_off(StfFault::MisplacedChunk);
        }
    }

    fn take(&mut self, bytes: Vec<u8>) {
        let mut cursor = std::mem::take(&mut self.cursor);
        let stop = cursor.take(bytes, &mut *self);
        self.offset = cursor.offset;
        self.cursor = cursor;
        if let Some(stop) = stop {
            self.break_off(fault_of(stop));
        }
    }

    /// Counts a record.
    #[inline(always)]
    fn count_record(&mut self) {
        self.records += 1;
        if self.group.first_record == 0 {
            self.group.first_record = self.records;
        }
    }

    /// Takes the opcode that ends a group.
    #[inline(always)]
    fn opcode(&mut self, opcode: GroupOpcode) {
        self.chunk.instructions += 1;
        self.recorder.instruction(&self.group, opcode);
        if let Some(fault) = group_fault(&self.group) {
            self.problem(fault);
        }
        self.group.clear();
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
                    self.has_mode = true;
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
                if !self.has_mode {
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
    fn end(&mut self, damage: Option<Damage>) {
        if self.cursor.is_over {
            return;
        }
        if let Some(damage) = damage {
            self.break_off(StfFault::Packed(damage));
        } else if let Some(bytes) = self.cursor.incomplete_bytes() {
            self.break_off(StfFault::InsideRecord(bytes));
        }
    }

    /// Ends reading in a chunk. Records of an instruction that is not complete are dropped.
    fn break_off(&mut self, fault: StfFault) {
        self.problem(fault);
        self.drop_group();
        self.cursor.stop();
        if self.chunk.number.is_some() {
            let expected = self.chunk.expected;
            let lost = expected.and_then(|all| all.checked_sub(self.chunk.instructions));
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

    fn finish(mut self) {
        self.drop_group();
        let placeless = self.recorder.take_placeless();
        if placeless > 0 {
            self.problem(StfFault::NoAddress(placeless));
        }
        self.recorder.finish(self.records);
    }

    fn problem(&mut self, fault: StfFault) {
        self.recorder.problem(&ProblemKind::Stf {
            file: self.name.clone(),
            chunk: self.chunk.number,
            offset: self.offset,
            fault,
        });
    }
}

impl<B: BlockSink> RecordSink for &mut TraceReader<'_, B> {
    /// Most records describe instructions: each goes to its group as soon as its fields are read.
    #[inline(always)]
    fn take_usual(&mut self, bytes: &[u8], offset: u64) -> usize {
        let mut used = 0;
        while let Some((usual, length)) = UsualRecord::at(bytes, used) {
            self.count_record();
            match usual {
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
                UsualRecord::Opcode(opcode) => {
                    self.offset = offset + used as u64;
                    self.opcode(opcode);
                }
            }
            used += length;
        }
        used
    }

    #[inline(always)]
    fn record(&mut self, record: &StfRecord<'_>, offset: u64) {
        self.offset = offset;
        self.count_record();
        if let StfRecord::Opcode { word, length_bytes } = *record {
            self.opcode(GroupOpcode { word, length_bytes });
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
