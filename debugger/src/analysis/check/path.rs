//! Successors of an instruction.

use stepback_machine::flow::{
    BranchTarget, ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind, RecordedBranch,
};
use stepback_machine::semantics::FlagTest;
use stepback_machine::{CodeSite, Encoding, InstructionSet, RegisterId};
use stepback_parsers::{DelaySlot, StepEvent};

/// Number of entries of the direct-mapped cache of decoded instructions.
const REMEMBERED: usize = 1 << 12;

/// Possible successors of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Successors {
    /// Any address.
    #[default]
    Open,
    /// One address.
    One(u64),
    /// One of two addresses.
    Either(u64, u64),
}

impl Successors {
    /// Formats the addresses, unless the thread may continue at `pc`.
    pub fn unless(self, pc: u64) -> Option<String> {
        match self {
            Self::One(one) if one != pc => Some(format!("{one:#x}")),
            Self::Either(one, other) if one != pc && other != pc => {
                Some(format!("{one:#x} or {other:#x}"))
            }
            Self::Open | Self::One(_) | Self::Either(..) => None,
        }
    }
}

/// Effect of a step on control flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct ControlEffect {
    pub leads: Successors,
    pub flow: FlowKind,
    /// Register that holds the target of the jump.
    pub target: Option<RegisterId>,
    /// Test of the flags that chooses the second of two successors.
    pub test: Option<FlagTest>,
    /// Number of following instructions that are executed only if a condition holds.
    pub block: u8,
    /// Address of the following instruction.
    pub after: u64,
}

impl ControlEffect {
    /// Makes the step conditional on another instruction whose outcome is not recorded.
    pub fn make_conditional(&mut self) {
        if let Successors::One(to) = self.leads {
            self.leads = Successors::Either(self.after, to);
        }
    }

    /// Narrows the successors with the flags before the step.
    pub fn decide(&mut self, flags: u64) {
        if let (Some(test), Successors::Either(after, target)) = (self.test, self.leads) {
            self.leads = Successors::One(if test.holds(flags) { target } else { after });
        }
    }
}

/// Cache key: an instruction as a step shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InstructionKey {
    pc: u64,
    set: InstructionSet,
    encoding: Encoding,
    branch: RecordedBranch,
}

/// Computation of successors, with a direct-mapped cache of recent results.
pub struct PathFinder {
    known: Vec<Option<(InstructionKey, ControlEffect)>>,
}

impl Default for PathFinder {
    fn default() -> Self {
        Self {
            known: vec![None; REMEMBERED],
        }
    }
}

impl PathFinder {
    /// Returns the successors of a step and its effect on control flow.
    pub fn of(&mut self, step: &StepEvent<'_>) -> ControlEffect {
        let Some(encoding) = step.encoding() else {
            return ControlEffect::default();
        };
        let after = step.pc.0.wrapping_add(u64::from(step.length_bytes));
        let seen = InstructionKey {
            pc: step.pc.0,
            set: step.instruction_set,
            encoding,
            branch: step.branch,
        };
        let place = (seen.pc >> 1 ^ seen.pc >> 12) as usize % REMEMBERED;
        let course = match self.known.get(place) {
            Some(Some((known, course))) if *known == seen => *course,
            _ => {
                let course = effect_of(seen, after);
                if let Some(place) = self.known.get_mut(place) {
                    *place = Some((seen, course));
                }
                course
            }
        };
        let leads = match step.delay_slot {
            DelaySlot::None if step.is_executed => course.leads,
            DelaySlot::None => Successors::One(after),
            DelaySlot::Executed | DelaySlot::Annulled => Successors::Open,
        };
        ControlEffect { leads, ..course }
    }
}

fn effect_of(seen: InstructionKey, after: u64) -> ControlEffect {
    let InstructionKey {
        pc,
        set,
        encoding,
        branch,
    } = seen;
    let site = CodeSite {
        pc: stepback_machine::Address(pc),
        encoding,
    };
    let ControlFlowEffect {
        flow,
        target,
        delay,
    } = set.control(&site);
    let leads = match (set.lead(&site, branch), target) {
        (ControlSuccessor::After, _) => Successors::One(after),
        (ControlSuccessor::Address(address), _) => Successors::One(set.code_address(address)),
        (ControlSuccessor::Register(_), _) => Successors::Open,
        // A branch whose outcome is not recorded.
        (ControlSuccessor::Open, BranchTarget::Address(address))
            if delay == DelaySlotRule::None
                && matches!(flow, FlowKind::Branch | FlowKind::Call | FlowKind::Return) =>
        {
            Successors::Either(after, set.code_address(address))
        }
        (ControlSuccessor::Open, _) => Successors::Open,
    };
    let target = match target {
        BranchTarget::Register(register) => Some(register),
        BranchTarget::Address(_) | BranchTarget::Unsaid => None,
    };
    let (test, block) = (set.branch_test(&encoding), set.block_length(&encoding));
    ControlEffect {
        leads,
        flow,
        target,
        test,
        block,
        after,
    }
}
