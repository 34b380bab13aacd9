//! A run: consecutive steps of a thread, without the values that the trace may record.

use std::collections::HashSet;
use std::ops::Range;

use stepback_machine::flow::{ControlFlowEffect, FlowKind, RecordedBranch};
use stepback_machine::{
    AccessKind, Address, CodeSite, Encoding, Endian, InstructionSet, Mode, RegisterView, Registers,
};
use stepback_parsers::{
    DelaySlot, EventSink, Marker, MarkerEvent, MemoryAccess, Position, Problem, RegisterWrite,
    Step, StepEvent, TextEvent, ThreadNumber,
};

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::index::operand_table::UntracedRegisters;
use crate::inference::addresses::AddressWidth;
use crate::inference::decoded::{DecodedEncoding, DecodedNumber, DecodedTable};
use crate::inference::run_slots::RunSlots;
use crate::read::doubts::BREAKS;
use crate::read::encodings::encoding_of;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::SlotReader;
use crate::read::untraced;
use crate::store::granules::granules_of;

/// A step of a run.
#[derive(Clone, Debug)]
pub(super) struct RunStep {
    pub slot: u64,
    pub pc: Address,
    pub set: InstructionSet,
    pub encoding: Option<Encoding>,
    decoded: Option<DecodedNumber>,
    pub branch: RecordedBranch,
    pub length_bytes: u8,
    pub is_executed: bool,
    pub delay_slot: DelaySlot,
    pub mode: Mode,
    /// Mode after the step, as determined by its instruction.
    pub mode_after: Mode,
    /// True if something other than instructions may have changed registers after it.
    pub is_broken: bool,
    /// True if an unknown event or a loss of records is the reason.
    pub is_lost: bool,
    accesses: Range<usize>,
    markers: Range<usize>,
    stated: Range<usize>,
}

impl RunStep {
    pub fn step(&self) -> Step {
        Step(self.slot.saturating_sub(1))
    }

    /// Returns true if its instruction calls the kernel or the host.
    pub fn is_trap(&self) -> bool {
        self.control().flow == FlowKind::Trap
    }

    /// Returns the control flow of its encoding; the default without an encoding.
    pub fn control(&self) -> ControlFlowEffect {
        let site = self.encoding.map(|encoding| CodeSite {
            pc: self.pc,
            encoding,
        });
        site.map_or_else(ControlFlowEffect::default, |site| self.set.control(&site))
    }
}

/// A memory access.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunAccess {
    pub kind: AccessKind,
    pub address: u64,
    /// Top bits of the address that the processor ignores.
    pub tag: u64,
    pub size_bytes: u8,
    /// Recorded value as a number, in traces that leave out only some values.
    pub value: Option<u64>,
}

/// A register value recorded with a step, in a trace that leaves some values out.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatedRegister {
    /// The physical register.
    pub view: RegisterView,
    /// Value of at most 8 bytes; `None` if it is unknown from there on.
    pub value: Option<u64>,
}

/// A record other than steps and accesses, with the slot in which it is visible.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunMarker {
    pub slot: u64,
    pub marker: Marker,
}

/// Steps of one thread, and the concurrent writes of other threads.
pub(super) struct ThreadRun<'i> {
    pub steps: Vec<RunStep>,
    accesses: Vec<RunAccess>,
    markers: Vec<RunMarker>,
    stated: Vec<StatedRegister>,
    /// Recorded values of the registers that count windows, before the first step.
    pub counts: Vec<StatedRegister>,
    decoded: DecodedTable,
    /// True if the trace records some values, which are then used.
    has_stated: bool,
    /// True if records other than texts report exceptions.
    has_exceptions: bool,
    /// True if the thread has no steps after these.
    pub reaches_end: bool,
    /// Address width before its first step.
    pub addresses: AddressWidth,
    /// Blocks of 64 bytes that other threads wrote within the run.
    foreign_granules: HashSet<u64, foldhash::fast::RandomState>,
    /// Writes that may be concurrent with the run; `None` in a trace of one thread.
    others: Option<Box<WriteReach<'i>>>,
    /// Slot being parsed.
    slot: u64,
    thread: ThreadId,
    threads: Vec<ThreadId>,
}

/// Maximum number of steps, and of accesses, to reserve memory for.
const ROOM: usize = 2048;

/// Returns true if another writer may have written a number of bytes at an address.
pub(super) type WriteReach<'i> = dyn Fn(u64, u64, MemoryUse) -> bool + 'i;

/// Use of memory by the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryUse {
    /// As its stack.
    Stack,
    /// Elsewhere, to store into it.
    Stored,
    /// Elsewhere, to load from it.
    Loaded,
}

/// Returns the run of a thread in some slots, without concurrent writes at uncertain times. In a
/// trace of several threads, its memory must not be followed.
pub(super) fn run_alone<'i>(
    index: &'i Index,
    thread: ThreadId,
    slots: &RunSlots,
) -> Result<ThreadRun<'i>, QueryError> {
    let count: u64 = slots
        .pieces
        .iter()
        .map(|piece| piece.end.saturating_sub(piece.start))
        .sum();
    let count = usize::try_from(count).unwrap_or(0);
    let before = slots
        .pieces
        .first()
        .map_or(0, |piece| piece.start.saturating_sub(1));
    let run = ThreadRun {
        steps: Vec::with_capacity(count.min(ROOM)),
        accesses: Vec::with_capacity(count.min(ROOM)),
        markers: Vec::new(),
        stated: Vec::new(),
        counts: window_counts(index, thread, Position(before))?,
        decoded: DecodedTable::default(),
        has_stated: index.source().leaves_values_out()
            || untraced::untraced_registers(index, thread)? != UntracedRegisters::Nothing,
        has_exceptions: index.source().leaves_values_out(),
        reaches_end: slots.reaches_end,
        addresses: AddressWidth::at(index, thread, before)?,
        foreign_granules: HashSet::default(),
        others: None,
        slot: before,
        thread,
        threads: Vec::new(),
    };
    let mut reader = ThreadRunReader { index, run };
    for piece in &slots.pieces {
        reader.run.slot = piece.start.saturating_sub(1);
        reader.run.threads.clear();
        SlotReader(index).parse_slots(piece.clone(), &mut reader)?;
        if reader.run.slot.saturating_add(1) != piece.end.min(index.step_count() + 1) {
            return Err(QueryError::TraceChanged);
        }
    }
    Ok(reader.run)
}

/// Returns the recorded values of the registers that count windows; many traces record them only
/// once.
fn window_counts(
    index: &Index,
    thread: ThreadId,
    at: Position,
) -> Result<Vec<StatedRegister>, QueryError> {
    let set = index.instruction_set(thread);
    if !index.source().leaves_values_out() {
        return Ok(Vec::new());
    }
    let mut reader = RegisterReader::new(index, thread, at);
    let mut counts = Vec::new();
    for name in set.window_counts() {
        let Some(view) = Registers::view(name, set) else {
            continue;
        };
        let state = reader.state((*name).to_owned(), view)?;
        counts.extend(state.value.to_u64().map(|value| StatedRegister {
            view,
            value: Some(value),
        }));
    }
    Ok(counts)
}

impl<'i> ThreadRun<'i> {
    /// Returns the instruction of a step; `None` if its bytes are unknown.
    pub fn decoded(&self, step: &RunStep) -> Option<&DecodedEncoding> {
        self.decoded.get(step.decoded?)
    }

    /// Returns true if the thread has no steps after the step at `place`.
    pub fn ends_after(&self, place: usize) -> bool {
        self.reaches_end && place.saturating_add(1) == self.steps.len()
    }

    /// Returns the accesses of a step.
    pub fn accesses(&self, step: &RunStep) -> &[RunAccess] {
        self.accesses.get(step.accesses.clone()).unwrap_or_default()
    }

    /// Returns the records of a step other than accesses.
    pub fn markers(&self, step: &RunStep) -> &[RunMarker] {
        self.markers.get(step.markers.clone()).unwrap_or_default()
    }

    /// Returns the registers that the trace records with a step.
    pub fn stated(&self, step: &RunStep) -> &[StatedRegister] {
        self.stated.get(step.stated.clone()).unwrap_or_default()
    }

    /// Returns the same run with concurrent writes by others.
    #[must_use]
    pub fn with_others(self, others: Box<WriteReach<'i>>) -> Self {
        Self {
            others: Some(others),
            ..self
        }
    }

    /// Returns true if other threads, or the kernel for them, may have written near these bytes.
    pub fn is_foreign(&self, address: u64, size_bytes: u64, memory_use: MemoryUse) -> bool {
        let granules = || granules_of(Address(address), size_bytes).map(|(granule, _)| granule);
        !self.foreign_granules.is_empty()
            && granules().any(|granule| self.foreign_granules.contains(&granule))
            || self
                .others
                .as_ref()
                .is_some_and(|others| others(address, size_bytes, memory_use))
    }
}

struct ThreadRunReader<'a> {
    index: &'a Index,
    run: ThreadRun<'a>,
}

impl ThreadRunReader<'_> {
    fn is_own(&self, thread: ThreadNumber) -> bool {
        self.run
            .threads
            .get(usize::from(thread.0))
            .copied()
            .unwrap_or_default()
            == self.run.thread
    }

    /// Returns bytes of memory as a number.
    fn number(&self, bytes: &[u8; 8], size_bytes: u8) -> u64 {
        let bytes = bytes
            .iter()
            .take(size_bytes.into())
            .map(|byte| u64::from(*byte));
        let join = |number, byte| number << 8 | byte;
        match self.index.contents.traits.endian {
            Endian::Little => bytes.rev().fold(0, join),
            Endian::Big => bytes.fold(0, join),
        }
    }

    /// Marks the last steps as followed by an unknown event.
    fn lose(&mut self, count: usize) {
        for step in self.run.steps.iter_mut().rev().take(count) {
            (step.is_broken, step.is_lost) = (true, true);
        }
    }
}

impl EventSink for ThreadRunReader<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.run
            .threads
            .push(self.index.thread_by_name(name).unwrap_or_default());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let is_own = self.is_own(step.thread);
        let run = &mut self.run;
        run.slot += 1;
        if !is_own {
            return;
        }
        let (accesses, markers) = (
            run.accesses.len()..run.accesses.len(),
            run.markers.len()..run.markers.len(),
        );
        let stated = run.stated.len()..run.stated.len();
        let (pc, set, mode, is_executed) =
            (step.pc, step.instruction_set, step.mode, step.is_executed);
        let encoding = encoding_of(self.index, step);
        let decoded = encoding.map(|encoding| run.decoded.number(encoding, pc, set));
        let window_step = decoded.and_then(|number| run.decoded.get(number)?.window_step);
        run.steps.push(RunStep {
            slot: run.slot,
            pc,
            set,
            encoding,
            decoded,
            branch: step.branch,
            length_bytes: step.length_bytes,
            is_executed,
            delay_slot: step.delay_slot,
            mode,
            mode_after: mode.after(window_step.filter(|_| is_executed && mode.has_windows())),
            is_broken: false,
            is_lost: false,
            accesses,
            markers,
            stated,
        });
    }

    fn access(&mut self, access: &MemoryAccess) {
        let MemoryAccess {
            kind,
            address,
            tag,
            size_bytes,
            ..
        } = *access;
        if !self.is_own(access.thread) {
            if kind == AccessKind::Write {
                let granules =
                    granules_of(address, u64::from(size_bytes)).map(|(granule, _)| granule);
                self.run.foreign_granules.extend(granules);
            }
            return;
        }
        let value = access
            .bytes
            .filter(|_| self.run.has_stated)
            .map(|bytes| self.number(&bytes, size_bytes));
        if let Some(step) = self.run.steps.last_mut() {
            self.run.accesses.push(RunAccess {
                kind,
                address: address.0,
                tag,
                size_bytes,
                value,
            });
            step.accesses.end = self.run.accesses.len();
        }
    }

    fn register_write(&mut self, event: &RegisterWrite<'_>) {
        if !self.run.has_stated || !self.is_own(event.thread) {
            return;
        }
        // Only cells of register windows are followed under their own numbers.
        let home = |register| {
            if event.mode.has_windows() {
                event.mode.home(register)
            } else {
                register
            }
        };
        let view = RegisterView {
            register: home(event.view.register),
            ..event.view
        };
        let bytes = event.bytes.filter(|bytes| bytes.len() <= 8);
        let value = bytes.map(|bytes| {
            bytes
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte))
        });
        if let Some(step) = self.run.steps.last_mut() {
            self.run.stated.push(StatedRegister { view, value });
            step.stated.end = self.run.stated.len();
        }
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        if event.kind.is_exceptional() && !self.run.has_exceptions && self.is_own(event.thread) {
            // The line of an exception may precede the instruction with the same time.
            self.lose(2);
        }
    }

    fn problem(&mut self, _problem: &Problem) {
        // The thread of the lost records is unknown.
        self.lose(1);
    }

    fn marker(&mut self, event: &MarkerEvent) {
        let Marker { kind, .. } = event.marker;
        let is_own = self.is_own(event.thread);
        let Some(step) = self.run.steps.last_mut().filter(|_| is_own) else {
            return;
        };
        step.is_broken |= BREAKS.contains(&kind);
        self.run.markers.push(RunMarker {
            slot: self.run.slot,
            marker: event.marker,
        });
        step.markers.end = self.run.markers.len();
    }
}
