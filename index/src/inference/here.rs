//! The current step of the engine.

use crate::inference::run::{RunMarker, RunStep};
use crate::read::doubts::BREAKS;
use stepback_machine::Instruction;
use stepback_machine::flow::{BranchTarget, ControlFlowEffect, FlowKind, RecordedBranch};
use stepback_machine::semantics::RegisterUse;

/// The current step of the engine.
#[derive(Clone, Copy)]
pub(super) struct CurrentStep<'a> {
    pub step: &'a RunStep,
    pub instruction: &'a Instruction,
    pub uses: &'a RegisterUse,
    /// Addresses of its operands, if known.
    pub addresses: &'a [Option<u64>],
    /// Next step of the thread, unless an event other than the step precedes it.
    pub next: Option<&'a RunStep>,
    /// First step at the target of a jump.
    pub arrival: Option<&'a RunStep>,
}

impl CurrentStep<'_> {
    /// Returns the address after the instruction.
    pub fn after(&self) -> u64 {
        self.step
            .pc
            .0
            .wrapping_add(u64::from(self.step.length_bytes))
    }

    /// Returns true if the next instruction in memory follows directly.
    pub fn goes_on(self) -> bool {
        self.next.is_some_and(|next| next.pc.0 == self.after())
    }

    /// Returns true if control may continue elsewhere than at the next instruction in memory.
    pub fn is_branch(self) -> bool {
        !matches!(
            self.step.branch,
            RecordedBranch::Unsaid | RecordedBranch::None
        ) || !matches!(
            self.instruction.control.flow,
            FlowKind::Next | FlowKind::Trap
        )
    }

    /// Returns true if the thread's next step is a target of the instruction.
    pub fn is_followed(self) -> bool {
        self.next.is_some_and(|next| is_expected(self, next))
    }

    /// Returns true if a later record explains why the next step is not a target of the
    /// instruction. That record discards the known values itself.
    pub fn is_broken_off(self, markers: &[RunMarker]) -> bool {
        !self.step.is_lost
            && markers
                .iter()
                .any(|later| BREAKS.contains(&later.marker.kind))
    }
}

/// Returns true if `next` is a target of the instruction.
fn is_expected(here: CurrentStep<'_>, next: &RunStep) -> bool {
    let is_after = next.pc.0 == here.after();
    if is_after || !here.is_branch() || !here.step.is_executed {
        return is_after;
    }
    let ControlFlowEffect { flow, target, .. } = here.instruction.control;
    match target {
        BranchTarget::Address(target) => target == next.pc.0,
        BranchTarget::Register(_) | BranchTarget::Unsaid => flow != FlowKind::ExceptionReturn,
    }
}
