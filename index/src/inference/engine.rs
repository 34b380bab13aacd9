//! Symbolic execution of a run: states the facts that each step shows.

use std::ops::Range;

use stepback_machine::semantics::ExecutionCondition;
use stepback_machine::{AccessKind, Endian, InstructionSet, RegisterView};
use stepback_parsers::Step;

use crate::answers::register_file::ValueDerivation;
use crate::inference::addresses::{AddressWidth, WidthBit, find_addresses};
use crate::inference::here::CurrentStep;
use crate::inference::memory::TermMemory;
use crate::inference::observed::{ObservedAccess, ObservedRegister};
use crate::inference::path::{ControlPath, Traps};
use crate::inference::registers::RegisterLanes;
use crate::inference::run::{RunMarker, ThreadRun};
use crate::inference::symbols::{Symbols, Term};
use crate::inference::terms::RegisterChange;
use crate::inference::unshown::UnrecordedStore;

/// Maximum number of steps in an `it` block.
const BLOCK_LIMIT: u8 = 4;

/// Symbolic state while a run is executed.
pub(super) struct Engine<'a> {
    pub run: &'a ThreadRun<'a>,
    pub circumstances: Circumstances,
    pub symbols: Symbols,
    pub registers: RegisterLanes,
    pub memory: TermMemory,
    /// Number of following steps that may be in a block under the condition of another instruction.
    block: u8,
    /// Control path, in instruction sets with delay slots.
    pub path: ControlPath,
    /// The traps whose handlers contain the current step.
    pub traps: Traps,
    /// Known width of addresses, and the bit that selects it.
    pub addresses: AddressWidth,
    pub decisive: Option<WidthBit>,
    /// Last address that was based on the stack pointer.
    pub stack: Option<u64>,
    /// Base address of the thread's segment.
    pub thread_block: Option<u64>,
    /// Slots of the steps whose accesses and register writes are observed.
    pub watched: Range<u64>,
    pub observed: Vec<ObservedAccess>,
    pub observed_registers: Vec<ObservedRegister>,
    /// Stores without records, in order.
    pub unshown: Vec<UnrecordedStore>,
    /// Values loaded by the current step, by operand and lane: one load has one value, even if it
    /// is used several times.
    pub loads: Vec<(OperandLane, Loaded)>,
    /// Records after the last step that are not processed yet.
    pub late: &'a [RunMarker],
    pub traced: RecordedCall,
    /// Reused buffers.
    addresses_buffer: Vec<Option<u64>>,
    changes_buffer: Vec<RegisterChange>,
}

/// A function or system call described by records.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordedCall {
    pub is_system_call: bool,
    /// Number of recorded arguments until now.
    pub arguments: usize,
}

/// 8 bytes of an operand: operand number and lane number.
type OperandLane = (usize, u16);

/// A loaded value, and the step that left it there.
pub(super) type Loaded = (Term, Option<Step>);

/// Properties of the trace and options of the inference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// True if the trace states whether conditions held.
    pub is_execution_stated: bool,
    /// True if other threads may write memory other than stacks at any time.
    pub is_shared: bool,
    /// True if values in memory are followed.
    pub is_memory_followed: bool,
    /// True if the last steps of a thread may be recorded although they never ran.
    pub is_end_doubted: bool,
    /// True if recorded values are used.
    pub are_values_taken: bool,
    pub endian: Endian,
}

/// Certainty that a step had the effects of its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepExecution {
    Certain,
    Possible,
    None,
}

impl<'a> Engine<'a> {
    pub fn new(run: &'a ThreadRun<'a>, circumstances: Circumstances) -> Self {
        let symbols = Symbols::with_room(run.steps.len());
        let set = run
            .steps
            .first()
            .map_or_else(InstructionSet::default, |step| step.set);
        let registers = RegisterLanes::new(set);
        let memory = TermMemory::new(circumstances.endian);
        Self {
            run,
            circumstances,
            symbols,
            registers,
            memory,
            block: BLOCK_LIMIT,
            path: ControlPath::default(),
            traps: Traps::default(),
            addresses: run.addresses,
            decisive: WidthBit::of(set),
            stack: None,
            thread_block: None,
            late: &[],
            traced: RecordedCall::default(),
            watched: 0..0,
            observed: Vec::new(),
            observed_registers: Vec::new(),
            unshown: Vec::new(),
            loads: Vec::new(),
            addresses_buffer: Vec::new(),
            changes_buffer: Vec::new(),
        }
    }

    /// Executes a step.
    pub fn step(&mut self, place: usize) {
        let run = self.run;
        let Some(step) = run.steps.get(place) else {
            return;
        };
        if place == 0 {
            self.take_counts(step.step());
        }
        self.take_markers(place, u64::MAX);
        (self.late, self.traced) = (run.markers(step), RecordedCall::default());
        self.registers.mode = step.mode;
        let instruction = run.decoded(step).map(|decoded| &*decoded.instruction);
        let known = instruction
            .and_then(|instruction| Some((instruction, instruction.registers.as_ref()?)));
        let Some((instruction, uses)) = known else {
            return self.clear();
        };
        let mut addresses = std::mem::take(&mut self.addresses_buffer);
        find_addresses(
            &instruction.meaning.memory,
            run.accesses(step),
            &mut addresses,
        );
        let next = run
            .steps
            .get(place + 1)
            .filter(|next| !step.is_broken && next.mode == step.mode_after);
        let mut here = CurrentStep {
            step,
            instruction,
            uses,
            addresses: &addresses,
            next,
            arrival: next,
        };
        if step.set.slot_bytes() > 0 {
            here.arrival = self
                .path
                .arrival(here, run.steps.get(place + 1..).unwrap_or_default());
        }
        match self.execution(here) {
            StepExecution::Certain => self.execute(here),
            StepExecution::Possible => self.forget_writes(here, |_| true),
            StepExecution::None => {}
        }
        self.leave(here);
        self.take_stated(here);
        let is_followed = if step.set.slot_bytes() > 0 {
            self.path.follow(here)
        } else {
            here.is_followed()
        };
        self.take_markers(place + 1, step.slot);
        if !is_followed && !run.ends_after(place) && !here.is_broken_off(run.markers(step)) {
            self.clear();
        }
        self.addresses_buffer = addresses;
    }

    /// Discards all known values.
    pub fn clear(&mut self) {
        self.registers.clear();
        self.memory.clear();
        self.path.lose();
        self.traps.clear();
        self.block = BLOCK_LIMIT;
        self.late = &[];
    }

    fn execution(&mut self, here: CurrentStep<'_>) -> StepExecution {
        let condition = here.instruction.meaning.condition;
        let is_in_block = here.step.set.longest_block() > 0 && self.block > 0;
        self.block = match condition {
            ExecutionCondition::Block(count) => count,
            _ => self.block.saturating_sub(1),
        };
        if !here.step.is_executed {
            return StepExecution::None;
        }
        let is_conditional = condition == ExecutionCondition::Conditional || is_in_block;
        let is_shown = self.circumstances.is_execution_stated
            || !self.run.accesses(here.step).is_empty()
            || here.is_branch() && here.next.is_some_and(|next| next.pc.0 != here.after());
        if !is_conditional || is_shown {
            StepExecution::Certain
        } else {
            StepExecution::Possible
        }
    }

    fn execute(&mut self, here: CurrentStep<'_>) {
        self.loads.clear();
        self.state_addresses(here);
        self.state_target(here);
        // All values are those before the step.
        let mut registers = std::mem::take(&mut self.changes_buffer);
        self.register_changes(here, &mut registers);
        self.moved_along(here, &mut registers);
        let memory = self.memory_changes(here);
        self.take_access_values(here);
        if self.watched.contains(&here.step.slot) {
            self.observe(here);
            self.observe_registers(here, &registers);
        }
        let accesses = self.run.accesses(here.step);
        for access in accesses
            .iter()
            .filter(|access| access.kind == AccessKind::Write)
        {
            self.memory
                .forget(access.address, u64::from(access.size_bytes));
        }
        self.forget_unshown(here);
        for (address, size_bytes, term) in memory {
            self.memory
                .keep(address, size_bytes, term, here.step.step());
        }
        let stated = &here.instruction.meaning.writes;
        self.forget_writes(here, |view| stated.iter().all(|write| write.view != view));
        for RegisterChange { view, term, way } in registers.drain(..) {
            self.registers.write(view, term, way, &mut self.symbols);
        }
        self.changes_buffer = registers;
    }

    /// Gives unknown values to the selected written views.
    fn forget_writes(&mut self, here: CurrentStep<'_>, is_wanted: impl Fn(RegisterView) -> bool) {
        let way = ValueDerivation::Computed(here.step.step());
        for view in here.uses.writes.iter().filter(|view| is_wanted(**view)) {
            self.registers.forget(*view, way, &mut self.symbols);
        }
    }
}
