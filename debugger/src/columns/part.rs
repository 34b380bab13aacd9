//! Reads parts of a trace as rows ([`Columns`]).

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use foldhash::HashMap;
use stepback_index::answer::{Call, CallId, FrameCursor, ThreadId};
use stepback_index::read::{NameReader, StepEvents, TraceEvent, TraceEventKind};
use stepback_index::{Cancel, Index};
use stepback_machine::{AccessKind, Endian, InstructionSet, RegisterId, RegisterView};
use stepback_parsers::drmemtrace::marker_name;
use stepback_parsers::{Flow, MemoryAccess, Position, StepOrigin, TextKind};

use crate::columns::code::{CodeCollector, CodeRows};
use crate::columns::rows::{
    AccessRow, CallRow, CodeRow, MarkerRow, Provenance, RegisterWriteRow, RunRow, StepRow,
    ThreadRow,
};
use crate::columns::table::{NameId, Names, TableRow};
use crate::session::Session;

/// Maximum number of rows that are handed over at once.
pub const BLOCK_ROWS: usize = 1 << 18;

/// Number of steps of a part.
const PART_STEPS: u64 = 1 << 20;
/// Number of steps of a part in a small trace.
const SMALL_PART_STEPS: u64 = 1 << 18;
/// Minimum number of full-size parts; a smaller trace has small ones.
const ENOUGH_PARTS: u64 = 16;

/// Receiver of rows.
pub trait RowSink {
    /// Returns false if the rows of a table may be left out.
    fn wants(&self, _table: &'static str) -> bool {
        true
    }

    /// Takes the next rows of a table, at most [`BLOCK_ROWS`].
    ///
    /// # Errors
    /// The rows could not be written.
    fn take<R: TableRow>(&mut self, rows: &[R]) -> Result<()>;

    /// Takes the next register writes.
    ///
    /// # Errors
    /// The rows could not be written.
    fn take_writes(&mut self, rows: Vec<RegisterWriteRow>) -> Result<()> {
        self.take(&rows)
    }

    /// Takes the next accesses.
    ///
    /// # Errors
    /// The rows could not be written.
    fn take_accesses(&mut self, rows: Vec<AccessRow>) -> Result<()> {
        self.take(&rows)
    }
}

/// The tables of a trace.
#[derive(Debug)]
pub struct Columns<'a> {
    session: &'a Session,
    names: Names,
    codes: Mutex<CodeRows>,
}

impl<'a> Columns<'a> {
    /// Creates the tables of a trace.
    pub fn new(session: &'a Session) -> Self {
        Self {
            session,
            names: Names::default(),
            codes: Mutex::default(),
        }
    }

    /// Returns the texts that rows share.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the parts of the trace, at least one. Threads may read them in any order.
    pub fn parts(&self) -> Vec<Range<Position>> {
        let steps = self.session.index.step_count();
        let part_steps = match steps < ENOUGH_PARTS * PART_STEPS {
            true => SMALL_PART_STEPS,
            false => PART_STEPS,
        };
        let part = |number: u64| {
            let first = number * part_steps;
            Position(first)..Position(first.saturating_add(part_steps).min(steps))
        };
        (0..steps.div_ceil(part_steps).max(1)).map(part).collect()
    }

    /// Reads a part: its steps, register writes, accesses and markers.
    ///
    /// # Errors
    /// The trace could not be read, the rows could not be written, or it was cancelled.
    pub fn read_part(
        &self,
        part: Range<Position>,
        sink: &mut impl RowSink,
        cancel: &Cancel,
    ) -> Result<()> {
        let mut reader = PartReader::new(&self.session.index, &self.names, sink);
        let events = StepEvents {
            from: part.start,
            to: part.end,
        };
        events.each(&self.session.index, cancel, |event| {
            match reader.take(event) {
                Ok(()) => Flow::Continue,
                Err(error) => {
                    reader.error = Some(error);
                    Flow::Stop
                }
            }
        })?;
        let codes = reader.finish()?;
        let mut all = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        all.merge(codes);
        Ok(())
    }

    /// Reads the calls.
    ///
    /// # Errors
    /// The rows could not be written, or it was cancelled.
    pub fn read_calls(&self, sink: &mut impl RowSink, cancel: &Cancel) -> Result<()> {
        let calls = self.session.index.calls();
        let mut functions = HashMap::default();
        let mut rows = Vec::new();
        for id in (0..calls.len()).map(CallId) {
            let Some(call) = calls.get(id) else { continue };
            let name = functions
                .entry(call.function)
                .or_insert_with(|| self.session.images.code_at(call.function))
                .map(|found| self.names.id(&found.to_string()));
            let thread = self.names.id(self.session.index.thread_name(call.thread));
            rows.push(call_row(id, &call, thread, name));
            if rows.len() == BLOCK_ROWS {
                cancel.check()?;
                sink.take(&rows)?;
                rows.clear();
            }
        }
        sink.take(&rows)
    }

    /// Reads the instructions, threads and the run. All parts must have been read.
    ///
    /// # Errors
    /// The rows could not be written.
    pub fn read_rest(&self, sink: &mut impl RowSink) -> Result<()> {
        let codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        let codes: Vec<CodeRow> = codes.rows(self.session);
        if codes.is_empty() {
            sink.take::<CodeRow>(&[])?;
        }
        for block in codes.chunks(BLOCK_ROWS) {
            sink.take(block)?;
        }
        let index = &self.session.index;
        let thread = |thread: &stepback_index::answer::ThreadInfo| ThreadRow {
            thread: self.names.id(&thread.name),
            process: index.source().memory_of(&thread.name),
            steps: thread.steps,
        };
        let threads: Vec<_> = index.threads().iter().map(thread).collect();
        sink.take(&threads)?;
        sink.take(&[run_row(self.session)])
    }
}

fn run_row(session: &Session) -> RunRow {
    let (index, info) = (&session.index, session.index.info());
    let first = index.threads().first();
    let set = first.map_or_else(InstructionSet::default, |thread| thread.instruction_set);
    RunRow {
        trace: session.path.display().to_string(),
        format: info.format,
        arch: set.names().word,
        is_big_endian: info.is_big_endian,
        steps: info.steps,
        calls: index.call_count(),
        time_unit: info.time_unit,
        first_time: info.time_range.map(|range| range.0),
        last_time: info.time_range.map(|range| range.1),
        trace_bytes: session.trace_bytes(),
        warnings: info.warning_count,
        external_changes: info.external_changes,
    }
}

fn call_row(id: CallId, call: &Call, thread: NameId, name: Option<NameId>) -> CallRow {
    CallRow {
        call: id.0,
        parent: call.parent.map(|parent| parent.0),
        depth: call.depth,
        thread,
        function: call.function.0,
        name,
        call_step: call.call_step.map(|step| step.0),
        entry_step: call.entry_step.map(|step| step.0),
        exit_step: call.exit_step.map(|step| step.0),
        entered: call.entered.word(),
        left: call.left.word(),
        evidence: call.evidence.word(),
    }
}

/// Converts the events of a part to rows.
struct PartReader<'a, S> {
    index: &'a Index,
    sink: &'a mut S,
    names: &'a Names,
    /// Threads, by number.
    threads: Vec<ThreadState<'a>>,
    registers: HashMap<(RegisterId, InstructionSet), NameId>,
    codes: CodeCollector,
    wanted: WantedTables,
    steps: Vec<StepRow>,
    writes: Vec<RegisterWriteRow>,
    accesses: Vec<AccessRow>,
    markers: Vec<MarkerRow>,
    error: Option<anyhow::Error>,
}

/// The tables of a part whose rows the sink takes.
struct WantedTables {
    /// Steps or instructions.
    steps: bool,
    writes: bool,
    accesses: bool,
    markers: bool,
}

impl WantedTables {
    fn of(sink: &impl RowSink) -> Self {
        Self {
            steps: sink.wants(StepRow::TABLE) || sink.wants(CodeRow::TABLE),
            writes: sink.wants(RegisterWriteRow::TABLE),
            accesses: sink.wants(AccessRow::TABLE),
            markers: sink.wants(MarkerRow::TABLE),
        }
    }

    fn includes(&self, kind: &TraceEventKind<'_>) -> bool {
        match kind {
            TraceEventKind::Step { .. } => self.steps,
            TraceEventKind::Register { .. } => self.writes,
            TraceEventKind::Access { .. } | TraceEventKind::HostWrite { .. } => self.accesses,
            TraceEventKind::Text { .. } | TraceEventKind::Marker(_) => self.markers,
        }
    }
}

/// A thread of a part.
struct ThreadState<'a> {
    name: NameId,
    frames: FrameCursor<'a>,
    /// The innermost call, and its depth.
    frame: Option<(CallId, u32)>,
}

impl<'a, S: RowSink> PartReader<'a, S> {
    fn new(index: &'a Index, names: &'a Names, sink: &'a mut S) -> Self {
        let thread = |(number, thread): (usize, &stepback_index::answer::ThreadInfo)| {
            let id = ThreadId(u16::try_from(number).unwrap_or(u16::MAX));
            ThreadState {
                name: names.id(&thread.name),
                frames: FrameCursor::new(index.calls(), id),
                frame: None,
            }
        };
        let threads = index.threads().iter().enumerate().map(thread).collect();
        Self {
            index,
            wanted: WantedTables::of(sink),
            sink,
            names,
            threads,
            registers: HashMap::default(),
            codes: CodeCollector::default(),
            steps: Vec::new(),
            writes: Vec::new(),
            accesses: Vec::new(),
            markers: Vec::new(),
            error: None,
        }
    }

    fn take(&mut self, event: TraceEvent<'_>) -> Result<()> {
        let (step, position) = (event.step.map(|step| step.0), event.position.0);
        let nth = u32::try_from(event.place).unwrap_or(u32::MAX);
        let Some(state) = self.threads.get_mut(usize::from(event.thread.0)) else {
            return Ok(());
        };
        if !self.wanted.includes(&event.kind) {
            return Ok(());
        }
        let thread = state.name;
        match event.kind {
            TraceEventKind::Step {
                event: instruction,
                time,
                line,
            } => {
                let Some(step) = event.step else {
                    return Ok(());
                };
                let call = state.frames.at(step.before());
                if call != state.frame.map(|(call, _)| call) {
                    let depth = |call| Some((call, self.index.calls().get(call)?.depth));
                    state.frame = call.and_then(depth);
                }
                let row = StepRow {
                    step: step.0,
                    thread,
                    time,
                    line: line.map(|line| line.0),
                    pc: instruction.pc.0,
                    variant: self.codes.add(self.index, step, instruction),
                    is_executed: instruction.is_executed,
                    depth: state.frame.map(|(_, depth)| depth),
                    call: state.frame.map(|(call, _)| call.0),
                    provenance: match instruction.origin {
                        StepOrigin::Recorded => Provenance::Recorded,
                        StepOrigin::Reconstructed => Provenance::Reconstructed,
                        StepOrigin::Inferred => Provenance::Inferred,
                    },
                };
                self.steps.push(row);
                if self.steps.len() == BLOCK_ROWS {
                    self.sink.take(&self.steps)?;
                    self.steps.clear();
                }
                Ok(())
            }
            TraceEventKind::Register { view, set, bytes } => {
                let register = self.register(view, set);
                let row = RegisterWriteRow {
                    step,
                    position,
                    nth,
                    thread,
                    register,
                    first_bit: 8 * u32::from(view.offset),
                    bits: 8 * u32::from(view.size_bytes),
                    value: bytes.and_then(number),
                    wide: bytes
                        .filter(|bytes| bytes.len() > 8)
                        .map(most_significant_first),
                    provenance: Provenance::of_value(bytes),
                };
                self.writes.push(row);
                if self.writes.len() == BLOCK_ROWS {
                    self.sink.take_writes(mem::take(&mut self.writes))?;
                }
                Ok(())
            }
            TraceEventKind::Access { event, is_external } => {
                let row = AccessRow {
                    step,
                    position,
                    nth,
                    thread,
                    kind: event.kind,
                    address: event.address.0,
                    size: u64::from(event.size_bytes),
                    value: self.value(event),
                    is_external,
                    provenance: Provenance::of_value(event.bytes),
                };
                self.push_access(row)
            }
            TraceEventKind::HostWrite {
                address,
                size_bytes,
                ..
            } => {
                let row = AccessRow {
                    step,
                    position,
                    nth,
                    thread,
                    kind: AccessKind::Write,
                    address: address.0,
                    size: size_bytes,
                    value: None,
                    is_external: false,
                    provenance: Provenance::Host,
                };
                self.push_access(row)
            }
            TraceEventKind::Text { kind, text } => {
                let kind = match kind {
                    TextKind::Exception => "exception",
                    TextKind::StateChange => "state change",
                    TextKind::Note => "note",
                };
                let row = MarkerRow {
                    step,
                    position,
                    thread,
                    kind: self.names.id(kind),
                    value: None,
                    text: Some(String::from_utf8_lossy(text).into_owned()),
                };
                self.push_marker(row)
            }
            TraceEventKind::Marker(marker) => {
                let row = MarkerRow {
                    step,
                    position,
                    thread,
                    kind: self.names.id(&marker_name(marker.kind)),
                    value: Some(marker.value),
                    text: None,
                };
                self.push_marker(row)
            }
        }
    }

    fn push_access(&mut self, row: AccessRow) -> Result<()> {
        self.accesses.push(row);
        if self.accesses.len() == BLOCK_ROWS {
            self.sink.take_accesses(mem::take(&mut self.accesses))?;
        }
        Ok(())
    }

    fn push_marker(&mut self, row: MarkerRow) -> Result<()> {
        self.markers.push(row);
        if self.markers.len() == BLOCK_ROWS {
            self.sink.take(&self.markers)?;
            self.markers.clear();
        }
        Ok(())
    }

    fn register(&mut self, view: RegisterView, set: InstructionSet) -> NameId {
        let key = (view.register, set);
        if let Some(known) = self.registers.get(&key) {
            return *known;
        }
        // A register has one name, however wide the first write of it was.
        let narrow = RegisterView::new(view.register, 0, 1);
        let name = self
            .names
            .id(&NameReader(self.index).whole_name(narrow, set));
        self.registers.insert(key, name);
        name
    }

    fn value(&self, access: &MemoryAccess) -> Option<u64> {
        let mut bytes = access.bytes?;
        let size = usize::from(access.size_bytes);
        let used = bytes.get_mut(..size)?;
        if self.index.source().traits().endian == Endian::Big {
            used.reverse();
        }
        number(used)
    }

    /// Hands over the last rows, and returns the instructions.
    fn finish(mut self) -> Result<CodeCollector> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        self.sink.take(&self.steps)?;
        self.sink.take_writes(self.writes)?;
        self.sink.take_accesses(self.accesses)?;
        self.sink.take(&self.markers)?;
        Ok(self.codes)
    }
}

/// Returns a value of at most 64 bits, given least significant byte first.
fn number(bytes: &[u8]) -> Option<u64> {
    let mut number = [0; 8];
    number.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(number))
}

fn most_significant_first(bytes: &[u8]) -> Box<[u8]> {
    bytes.iter().rev().copied().collect()
}
