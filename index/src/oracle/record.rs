//! Parser of a whole trace into a list of events.

use std::collections::HashMap;

use stepback_machine::{InstructionSet, RegisterId};
use stepback_parsers::{
    EventSink, InputLocation, MarkerEvent, MemoryAccess, ParseScratch, Position, Problem,
    RecordingScope, Recurrence, RegisterSource, RegisterWrite, Source, SourceError, Step,
    StepEvent, TextEvent, ThreadNumber,
};

use crate::answers::cell::{ThreadId, ThreadInfo};
use crate::answers::index_info::{TimeFall, Warning, WarningKind};
use crate::answers::program::Program;
use crate::oracle::banks::{PhysicalRegister, SlotMode};
use crate::oracle::event::{
    NamedLine, OracleAccess, OracleEvent, OracleEventKind, OracleStep, OracleWrite,
};
use crate::query::question::Query;

/// A trace as a list of events.
#[derive(Debug)]
pub struct Oracle {
    pub(super) text: Vec<u8>,
    /// Lines made from records, if the trace is not text.
    pub(super) made_lines: Option<Vec<NamedLine>>,
    pub(super) is_big_endian: bool,
    first_set: InstructionSet,
    /// True if the trace records no registers.
    pub(super) has_operands_alone: bool,
    /// Start of each line.
    pub(super) line_starts: Vec<u64>,
    pub(super) events: Vec<OracleEvent>,
    /// Statements of the trace about its recorded data.
    pub(super) recordings: Vec<RecordingChange>,
    pub(super) steps: Vec<OracleStep>,
    pub(super) thread_names: Vec<String>,
    pub(super) register_names: Vec<String>,
    pub(super) widths: HashMap<RegisterId, u16>,
    warnings: Vec<Warning>,
    /// Steps with decreasing times.
    pub(super) time_falls: Vec<TimeFall>,
    /// Time of the last step of each thread.
    last_times: HashMap<u16, u64>,
    pub(super) program: Program,
    /// False if programs have separate memories.
    pub(super) has_one_memory: bool,
    /// For each address the slots of the steps that fetched it, with the value.
    pub(super) fetches: HashMap<u64, Vec<(u64, u8)>>,
    /// Number of reads that contradict the known contents of memory.
    pub(super) external_changes: u64,
}

/// Statement of a marker about the recorded data.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordingChange {
    /// Slot of the marker.
    pub slot: u64,
    pub recording: RecordingScope,
}

/// A query that the oracle can answer.
pub trait Replay: Query {
    /// Returns the answer; `None` if the index returns an error.
    fn replay(&self, oracle: &Oracle) -> Option<Self::Answer>;
}

impl Oracle {
    /// Parses a trace.
    ///
    /// # Errors
    /// The trace could not be read.
    pub fn of(source: &dyn Source) -> Result<Self, SourceError> {
        let mut text = Vec::new();
        let mut made_lines = (!source.is_text()).then(Vec::<NamedLine>::new);
        match &mut made_lines {
            Some(lines) => {
                source.made_lines(0..source.length(), &mut |line| {
                    let (thread, text) = (line.thread.to_owned(), line.text.to_vec());
                    lines.push(NamedLine {
                        chunk_offset: line.chunk_offset,
                        thread,
                        text,
                    });
                })?;
            }
            None => source.read_raw(0..source.length(), &mut text)?,
        }
        let line_starts = {
            let ends = text
                .iter()
                .zip(1..)
                .filter(|(byte, _)| **byte == b'\n')
                .map(|(_, next)| next);
            std::iter::once(0)
                .chain(ends)
                .filter(|start| *start < text.len() as u64)
                .collect()
        };
        let mut oracle = Self {
            text,
            made_lines,
            is_big_endian: source.traits().endian == stepback_machine::Endian::Big,
            first_set: source.traits().instruction_set,
            has_operands_alone: source.traits().registers == RegisterSource::Operands,
            line_starts,
            events: Vec::new(),
            recordings: Vec::new(),
            steps: Vec::new(),
            thread_names: Vec::new(),
            register_names: Vec::new(),
            widths: HashMap::new(),
            warnings: Vec::new(),
            time_falls: Vec::new(),
            last_times: HashMap::new(),
            program: Program::default(),
            has_one_memory: true,
            fetches: HashMap::new(),
            external_changes: 0,
        };
        let mut sink = Recorder {
            oracle: &mut oracle,
            last_steps: HashMap::new(),
            modes: SlotMode::default(),
        };
        source.parse(0..source.length(), &mut ParseScratch::default(), &mut sink)?;
        if oracle.thread_names.is_empty() {
            oracle.thread_names.push("cpu0".to_owned());
        }
        let stated = oracle.events.iter().filter_map(|event| match event.kind {
            OracleEventKind::Marker(marker) => Some(RecordingChange {
                slot: event.slot,
                recording: source.recording(marker)?,
            }),
            _ => None,
        });
        oracle.recordings = stated.collect();
        let mut memories = oracle
            .thread_names
            .iter()
            .map(|name| source.memory_of(name));
        let first = memories.next();
        oracle.has_one_memory = memories.all(|memory| Some(memory) == first);
        oracle.follow_modes();
        oracle.warn_of_times();
        oracle.fetches = oracle.find_fetches();
        oracle.follow_memory();
        oracle.widths = oracle.find_widths();
        Ok(oracle)
    }

    /// Returns the same oracle with the contents of the program images.
    #[must_use]
    pub fn with_program(self, program: Program) -> Self {
        let mut oracle = Self { program, ..self };
        oracle.fetches = oracle.find_fetches();
        oracle.forget_contradicted_pages();
        oracle.follow_images();
        oracle
    }

    /// Returns the number of steps.
    pub fn step_count(&self) -> u64 {
        self.steps.len() as u64
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> u64 {
        self.line_starts.len() as u64
    }

    /// Returns the number of reads that contradict the known contents of memory.
    pub fn external_changes(&self) -> u64 {
        self.external_changes
    }

    /// Returns all problems of the trace.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the threads.
    pub fn threads(&self) -> Vec<ThreadInfo> {
        let threads = self.thread_names.iter().zip(0..).map(|(name, number)| {
            let mut own = self
                .steps
                .iter()
                .zip(0..)
                .filter(|(step, _)| step.thread == ThreadId(number));
            let first = own.next();
            ThreadInfo {
                name: name.clone(),
                steps: first.iter().count() as u64 + own.count() as u64,
                instruction_set: first.map_or(self.first_set, |(step, _)| step.instruction_set),
                first_step: first.map(|(_, step)| Step(step)),
                last_time: self.last_times.get(&number).copied(),
            }
        });
        threads.collect()
    }

    /// Returns the last step of a thread in the slots up to `slot`.
    pub(super) fn last_step_of(&self, thread: ThreadId, slot: u64) -> Option<Step> {
        let steps = self.steps.iter().zip(0..slot);
        steps
            .filter(|(step, _)| step.thread == thread)
            .last()
            .map(|(_, number)| Step(number))
    }

    pub(super) fn step(&self, step: Step) -> Option<&OracleStep> {
        self.steps.get(usize::try_from(step.0).ok()?)
    }

    /// Returns the instruction set of a thread's first step; without one, that of the trace's first
    /// step.
    pub(super) fn instruction_set(&self, thread: ThreadId) -> InstructionSet {
        let first = self.steps.iter().find(|step| step.thread == thread);
        first.map_or(self.first_set, |step| step.instruction_set)
    }

    /// Returns the events that are visible at a position.
    pub(super) fn events_until(&self, position: Position) -> &[OracleEvent] {
        let end = self
            .events
            .partition_point(|event| event.slot <= position.0);
        self.events.get(..end).unwrap_or_default()
    }

    /// Returns the events that are not yet visible at a position.
    pub(super) fn events_after(&self, position: Position) -> &[OracleEvent] {
        let start = self
            .events
            .partition_point(|event| event.slot <= position.0);
        self.events.get(start..).unwrap_or_default()
    }

    /// Returns `None` for positions beyond the end.
    pub(super) fn check(&self, position: Position) -> Option<()> {
        (position.0 <= self.step_count()).then_some(())
    }

    /// Adds a warning about steps with an earlier time than their thread's previous step, at the
    /// first such step.
    fn warn_of_times(&mut self) {
        if let Some(first) = self.time_falls.first() {
            let line = self.step(first.step).map_or(0, |stated| stated.line) + 1;
            self.warnings.push(Warning {
                line,
                offset: 0,
                kind: WarningKind::TimeFalls(*first),
                count: self.time_falls.len() as u64,
            });
        }
        self.warnings.sort_by_key(|warning| warning.line);
    }

    pub(super) fn line_at(&self, offset: u64) -> u64 {
        (self.line_starts.partition_point(|start| *start <= offset) as u64).saturating_sub(1)
    }
}

/// Collects the events of the parser.
struct Recorder<'a> {
    oracle: &'a mut Oracle,
    last_steps: HashMap<u16, Step>,
    modes: SlotMode,
}

impl Recorder<'_> {
    fn push(&mut self, thread: ThreadNumber, place: InputLocation, kind: OracleEventKind) {
        let owner = self.last_steps.get(&thread.0).copied();
        let (slot, line) = (self.oracle.step_count(), place.line_in_range);
        self.oracle.events.push(OracleEvent {
            slot,
            thread: ThreadId(thread.0),
            owner,
            line,
            kind,
        });
    }
}

impl EventSink for Recorder<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.oracle.thread_names.push(name.to_owned());
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        self.oracle.register_names.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if let Some(to) = step.time
            && let Some(from) = self
                .oracle
                .last_times
                .insert(step.thread.0, to)
                .filter(|from| to < *from)
        {
            self.oracle.time_falls.push(TimeFall {
                step: Step(self.oracle.step_count()),
                from,
                to,
            });
        }
        self.last_steps
            .insert(step.thread.0, Step(self.oracle.step_count()));
        let before = self.oracle.steps.last().and_then(|last| last.time);
        self.oracle.steps.push(OracleStep {
            thread: ThreadId(step.thread.0),
            chunk_offset: step.chunk_offset,
            line: step.place.line_in_range,
            first_line: match step.chunk_offset == step.place.offset {
                true => step.place.line_in_range,
                false => self.oracle.line_at(step.chunk_offset),
            },
            time: before.max(step.time),
            pc: step.pc,
            instruction_set: step.instruction_set,
            opcode: step.opcode,
            encoding: step.encoding(),
            branch: step.branch,
            length_bytes: step.length_bytes,
            is_executed: step.is_executed,
            delay_slot: step.delay_slot,
            origin: step.origin,
            mode: step.mode,
            text: step.text.to_vec(),
        });
        self.modes = SlotMode::begin(step);
        self.push(step.thread, step.place, OracleEventKind::Step);
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let bytes = write.bytes.map(<[u8]>::to_vec);
        let bank = self.oracle.bank_of(write.view.register);
        let physical =
            PhysicalRegister::of_write(write.view.register, bank, self.modes.of(write.thread));
        let written = OracleWrite {
            view: write.view,
            bytes,
            name: write.name,
            bank,
            physical,
            stated: physical,
        };
        if write.is_bank_copy() {
            self.oracle.tell_first_half(&written);
        }
        self.modes.follow(write);
        self.push(
            write.thread,
            write.place,
            OracleEventKind::Register(written),
        );
    }

    fn access(&mut self, access: &MemoryAccess) {
        let MemoryAccess {
            kind,
            address,
            size_bytes,
            bytes,
            ..
        } = *access;
        let accessed = OracleAccess {
            kind,
            address,
            size_bytes,
            bytes,
            contradicting: Vec::new(),
        };
        self.push(
            access.thread,
            access.place,
            OracleEventKind::Access(accessed),
        );
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let text = String::from_utf8_lossy(event.text).into_owned();
        self.push(
            event.thread,
            event.place,
            OracleEventKind::Text {
                kind: event.kind,
                text,
            },
        );
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.push(
            event.thread,
            event.place,
            OracleEventKind::Marker(event.marker),
        );
    }

    fn problem(&mut self, problem: &Problem) {
        let line = self.oracle.line_at(problem.place.offset) + 1;
        let kind = WarningKind::Problem(problem.kind.to_string());
        let known = self
            .oracle
            .warnings
            .iter_mut()
            .find(|known| known.kind == kind);
        match known {
            Some(known) => {
                known.count += u64::from(problem.kind.recurrence() != Recurrence::OnceARun);
            }
            None => self.oracle.warnings.push(Warning {
                line,
                offset: u64::from(problem.column),
                kind,
                count: 1,
            }),
        }
    }
}
