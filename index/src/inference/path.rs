//! Control path of a thread ([`ControlPath`]) in instruction sets with delay slots: the step after
//! a branch is executed before control goes to the target.
//!
//! ```text
//!         step              address after the next step
//! 1000    call 2000         2000
//! 1004    nop               2004: determined by the branch before, not by this step
//! ```
//!
//! [`Traps`] follows traps with handlers that are recorded step by step, such as window spills and
//! fills. Taking such a trap and returning from it changes no computation registers.

use stepback_machine::flow::{
    BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind, RecordedBranch,
};
use stepback_parsers::{DelaySlot, Marker, MarkerKind};

use crate::inference::here::CurrentStep;
use crate::inference::run::RunStep;

/// Target of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlTarget {
    /// Unknown target.
    Anywhere,
    /// This address.
    To(u64),
    /// One of these addresses.
    Either(u64, u64),
}

impl ControlTarget {
    fn after(self) -> Self {
        match self {
            Self::To(address) => Self::To(address.wrapping_add(4)),
            Self::Anywhere | Self::Either(..) => Self::Anywhere,
        }
    }

    fn may_be(self, address: u64) -> bool {
        match self {
            Self::Anywhere => true,
            Self::To(known) => known == address,
            Self::Either(one, other) => one == address || other == address,
        }
    }
}

/// Control path of a thread, as known from its steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ControlPath {
    /// Target after the next step; `None` if only that step determines it.
    after: Option<ControlTarget>,
    /// Target after the previous step, with the same meaning.
    before: Option<ControlTarget>,
}

impl ControlPath {
    /// Discards the path: control may continue anywhere.
    pub fn lose(&mut self) {
        *self = Self::default();
    }

    /// Returns the path at the first instruction after a trap that follows `step`; `None` if
    /// control was not to go there.
    pub fn after_trap(&self, step: &RunStep, resumed: u64) -> Option<Self> {
        let before = self.before.unwrap_or_else(|| usual(step));
        if resumed == step.pc.0 && !step.is_executed {
            return Some(Self {
                after: Some(before),
                before: None,
            });
        }
        before.may_be(resumed).then_some(Self {
            before: None,
            ..*self
        })
    }

    /// Follows a step. Returns true if the next step is where control goes.
    pub fn follow(&mut self, here: CurrentStep<'_>) -> bool {
        let after = self.after.unwrap_or_else(|| usual(here.step));
        // If the target was unknown, the next step shows it.
        let course = course(
            here,
            here.next.map_or(after, |next| ControlTarget::To(next.pc.0)),
        );
        *self = Self {
            after: Some(course),
            before: Some(after),
        };
        let Some(next) = here.next else { return false };
        if here.instruction.control.flow == FlowKind::ExceptionReturn && here.step.is_executed {
            return false;
        }
        let delay = if here.step.is_executed {
            here.instruction.control.delay
        } else {
            DelaySlotRule::None
        };
        if is_jump(here) && delay == DelaySlotRule::None {
            self.after = Some(ControlTarget::To(next.pc.0).after());
            return course.may_be(next.pc.0);
        }
        if after.may_be(next.pc.0) {
            return true;
        }
        // A skipped instruction need not be recorded.
        self.after = Some(ControlTarget::To(next.pc.0).after());
        matches!(
            delay,
            DelaySlotRule::UnlessNotTaken | DelaySlotRule::Annulled
        ) && course.may_be(next.pc.0)
    }

    /// Returns the step at the target of a branch, before the branch is followed, given the steps
    /// after the branch.
    pub fn arrival<'a>(&self, here: CurrentStep<'_>, after: &'a [RunStep]) -> Option<&'a RunStep> {
        let (slot, arrival) = (after.first()?, after.get(1)?);
        let is_slot =
            self.after.unwrap_or_else(|| usual(here.step)) == ControlTarget::To(slot.pc.0);
        let is_unbroken = here.next.is_some() && !slot.is_broken && arrival.mode == slot.mode_after;
        (is_slot && is_unbroken && here.instruction.control.delay == DelaySlotRule::Slot)
            .then_some(arrival)
    }
}

/// Returns the target after a step with unknown history.
fn usual(step: &RunStep) -> ControlTarget {
    match step.delay_slot {
        DelaySlot::None => ControlTarget::To(step.pc.0.wrapping_add(u64::from(step.length_bytes))),
        DelaySlot::Executed | DelaySlot::Annulled => ControlTarget::Anywhere,
    }
}

fn is_jump(here: CurrentStep<'_>) -> bool {
    here.step.is_executed
        && matches!(
            here.instruction.control.flow,
            FlowKind::Branch | FlowKind::Call | FlowKind::Return
        )
}

/// Returns the target after the next step, given the location of that step.
fn course(here: CurrentStep<'_>, after: ControlTarget) -> ControlTarget {
    let ControlFlowEffect { target, delay, .. } = here.instruction.control;
    // Without a delay slot nothing comes in between.
    let ahead = if delay == DelaySlotRule::None && is_jump(here) {
        after
    } else {
        after.after()
    };
    if !is_jump(here) {
        return ahead;
    }
    match (here.step.branch, target) {
        (RecordedBranch::Conditional(Some(false)), _) => ahead,
        (RecordedBranch::Conditional(None), BranchTarget::Address(target)) => match ahead {
            ControlTarget::To(address) => ControlTarget::Either(address, target),
            _ => ControlTarget::Anywhere,
        },
        (_, BranchTarget::Address(target)) => ControlTarget::To(target),
        (_, BranchTarget::Register(_) | BranchTarget::Unsaid) => ControlTarget::Anywhere,
    }
}

/// Maximum nesting depth of traps.
const NESTED: usize = 8;

/// Effect of a control transfer on the known values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrapCrossing {
    /// They remain valid.
    Kept,
    /// Anything may have changed.
    Lost,
}

/// The traps whose handlers contain the current step, outermost first: the address at which control
/// resumes, and the path to there.
#[derive(Clone, Debug, Default)]
pub(super) struct Traps(Vec<(u64, ControlPath)>);

impl Traps {
    /// Discards all traps.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Processes the start or the end of a trap after a step, and updates the path. Values are lost
    /// if the program called the kernel, whose work need not be traced, or if control returns
    /// elsewhere.
    pub fn cross(
        &mut self,
        step: &RunStep,
        marker: Marker,
        path: &mut ControlPath,
    ) -> TrapCrossing {
        if !step.mode.has_windows() || step.is_lost {
            return TrapCrossing::Lost;
        }
        match marker.kind {
            MarkerKind::HARDWARE_EVENT => self.enter(step, marker.value, path),
            MarkerKind::HARDWARE_RETURN => {
                match self.0.pop().filter(|(resumed, _)| *resumed == marker.value) {
                    Some((_, taken)) => {
                        *path = taken;
                        TrapCrossing::Kept
                    }
                    None => TrapCrossing::Lost,
                }
            }
            _ => TrapCrossing::Lost,
        }
    }

    fn enter(&mut self, step: &RunStep, resumed: u64, path: &mut ControlPath) -> TrapCrossing {
        let is_requested = step.is_trap() && step.is_executed;
        let after = path
            .after_trap(step, resumed)
            .filter(|_| !is_requested && self.0.len() < NESTED);
        let Some(after) = after else {
            return TrapCrossing::Lost;
        };
        self.0.push((resumed, after));
        path.lose();
        TrapCrossing::Kept
    }
}
