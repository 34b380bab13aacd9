//! The events of a part of a trace that the ordered check needs ([`PartEvent`]).

use std::mem::Discriminant;

use stepback_machine::flow::{BranchTarget, FlowKind};
use stepback_machine::semantics::FlagTest;
use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{
    DelaySlot, InputLocation, MarkerEvent, MemoryAccess, ProblemKind, StepEvent, TextKind,
    ThreadNumber,
};

use crate::analysis::check::instructions::{ControlEffect, InstructionFacts, Successors};
use crate::analysis::check::register_file::{
    LastStep, PassedSteps, RegisterContents, RegisterFile,
};

/// An event of a part. Threads have the numbers of the part.
#[derive(Debug)]
pub enum PartEvent {
    /// Known contents of a register that the next event reads.
    Register(ThreadNumber, RegisterId, RegisterContents),
    Step(CheckedStep),
    Write(CheckedWrite),
    /// The value of the status register is unknown.
    StatusLost(ThreadNumber),
    Access(MemoryAccess),
    Text(ThreadNumber, TextKind),
    Marker(MarkerEvent),
    /// A problem, and its kind if the problem is reported once a run.
    Problem(Option<Discriminant<ProblemKind>>),
}

/// A step.
#[derive(Debug, Default)]
pub struct CheckedStep {
    pub thread: ThreadNumber,
    pub place: InputLocation,
    /// Time of the step, or of the steps before it that it represents.
    pub time: Option<u64>,
    pub last: LastStep,
    pub leads: Successors,
    /// Test of the flags that chooses one of two successors.
    pub test: Option<Box<FlagTest>>,
    /// Number of following instructions that are executed only if a condition holds.
    pub block: u8,
    /// Address of the following instruction.
    pub after: u64,
    pub is_executed: bool,
    pub is_in_delay_slot: bool,
    /// The instruction certainly leaves the flags unchanged.
    pub keeps_flags: bool,
    /// The step before shows that this one breaks no rule.
    pub is_expected: bool,
    /// Expected steps of the thread directly before this one, which have no other effect.
    pub passed: PassedSteps,
}

impl CheckedStep {
    /// Sets what a step and its instruction, which may be unknown, determine.
    pub fn set(&mut self, step: &StepEvent<'_>, instruction: Option<&InstructionFacts>) {
        let unknown = ControlEffect::default();
        let effect = instruction.map_or(&unknown, |known| &known.effect);
        self.thread = step.thread;
        self.place = step.place;
        self.time = step.time.or(self.time);
        self.last = LastStep {
            pc: step.pc.0,
            set: step.instruction_set,
            encoding: instruction.map(|known| known.encoding),
            flow: effect.flow,
            mode: step.mode,
            target: effect.target,
        };
        self.leads = match step.delay_slot {
            DelaySlot::None if step.is_executed => effect.leads,
            DelaySlot::None if instruction.is_some() => Successors::One(effect.after),
            DelaySlot::None | DelaySlot::Executed | DelaySlot::Annulled => Successors::Open,
        };
        let test = effect.test.filter(|_| self.leads.is_choice());
        self.test = test.map(Box::new);
        self.block = effect.block;
        self.after = effect.after;
        self.is_executed = step.is_executed;
        self.is_in_delay_slot = step.delay_slot != DelaySlot::None;
    }

    /// Returns true if the thread continues with the step `next`, whose encoding is known, in any
    /// state. The latest time of the thread is `time`.
    pub fn leads_to(&self, next: &StepEvent<'_>, time: Option<u64>) -> bool {
        let is_later = |next| time.is_some_and(|time| time <= next);
        self.leads == Successors::One(next.pc.0)
            && self.thread == next.thread
            && self.last.mode == next.mode
            && next.time.is_none_or(is_later)
    }

    /// Returns true if rules need the step only as one of those before the next.
    pub fn is_plain(&self) -> bool {
        self.is_expected
            && self.last.flow == FlowKind::Next
            && self.last.target == BranchTarget::Unsaid
            && self.block == 0
            && !self.is_in_delay_slot
    }
}

/// A register write that an exception may explain, or no instruction.
#[derive(Debug)]
pub struct CheckedWrite {
    pub thread: ThreadNumber,
    /// View as written, for its name.
    pub view: RegisterView,
    /// View of the actual register.
    pub home: RegisterView,
    pub value: [u8; 16],
    pub len: usize,
    /// The last step of the part does not write the register, and may not change its value.
    pub is_unexplained: bool,
    pub place: InputLocation,
}

impl CheckedWrite {
    /// Returns the first bytes of the value, as many as are tracked.
    pub fn bytes(&self) -> &[u8] {
        self.value.get(..self.len).unwrap_or_default()
    }
}

/// The events of a part, and its state at the end.
#[derive(Debug, Default)]
pub struct PartEvents {
    /// Names of threads, by their number in the part.
    pub threads: Vec<String>,
    pub events: Vec<PartEvent>,
    /// Registers that the part changed, by thread.
    pub registers: Vec<RegisterFile>,
    /// Number of lines.
    pub lines: u64,
}

impl PartEvents {
    /// Removes all events, keeping the buffers.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.events.clear();
        self.registers.clear();
        self.lines = 0;
    }
}
