//! The step that the engine is at.

use stepback_machine::{
    BranchTarget, ControlFlowEffect, FlowKind, Instruction, RecordedBranch, RegisterUse,
};

use crate::inference::run::{RunMarker, RunStep};
use crate::read::diversions::BREAKS;

/// The step that the engine is at.
#[derive(Clone, Copy)]
pub(super) struct CurrentStep<'a> {
    pub step: &'a RunStep,
    pub instruction: &'a Instruction,
    pub uses: &'a RegisterUse,
    /// The addresses of its operands, as far as they are known.
    pub addresses: &'a [Option<u64>],
    /// The thread's next step, unless something besides the step came before it.
    pub next: Option<&'a RunStep>,
    /// The step to which a jump led.
    pub arrival: Option<&'a RunStep>,
}

impl CurrentStep<'_> {
    /// The address behind the instruction.
    pub fn behind(&self) -> u64 {
        self.step
            .pc
            .0
            .wrapping_add(u64::from(self.step.length_bytes))
    }

    /// True when the next instruction follows, and nothing else came before it.
    pub fn goes_on(self) -> bool {
        self.next.is_some_and(|next| next.pc.0 == self.behind())
    }

    /// True when it may go somewhere else than to the next instruction.
    pub fn is_branch(self) -> bool {
        !matches!(
            self.step.branch,
            RecordedBranch::Unsaid | RecordedBranch::None
        ) || !matches!(
            self.instruction.control.flow,
            FlowKind::Next | FlowKind::Trap
        )
    }

    /// True when the thread's next step is where the instruction goes.
    pub fn is_followed(self) -> bool {
        self.next.is_some_and(|next| is_expected(self, next))
    }

    /// True when a record that is still to come says why it is not: it ends what is known by itself.
    pub fn is_broken_off(self, markers: &[RunMarker]) -> bool {
        !self.step.is_lost
            && markers
                .iter()
                .any(|later| BREAKS.contains(&later.marker.kind))
    }
}

/// True when a step goes to the next as its instruction says.
fn is_expected(here: CurrentStep<'_>, next: &RunStep) -> bool {
    let is_behind = next.pc.0 == here.behind();
    if is_behind || !here.is_branch() || !here.step.is_executed {
        return is_behind;
    }
    let ControlFlowEffect { flow, target, .. } = here.instruction.control;
    match target {
        BranchTarget::Address(target) => target == next.pc.0,
        BranchTarget::Register(_) | BranchTarget::Unsaid => flow != FlowKind::ExceptionReturn,
    }
}
