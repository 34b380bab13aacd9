//! Where an instruction leads.

use stepback_machine::{
    BranchTarget, CodeSite, ControlFlowEffect, ControlSuccessor, DelaySlotRule, Encoding, FlagTest,
    FlowKind, InstructionSet, RecordedBranch, RegisterId,
};
use stepback_parsers::{DelaySlot, StepEvent};

/// Instructions that are remembered, one for each of these places.
const REMEMBERED: usize = 1 << 12;

/// Where a thread goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Successors {
    /// Nothing tells.
    #[default]
    Open,
    /// To this address.
    One(u64),
    /// To one of these.
    Either(u64, u64),
}

impl Successors {
    /// Whether it may be there.
    pub fn allows(self, pc: u64) -> bool {
        match self {
            Self::Open => true,
            Self::One(one) => one == pc,
            Self::Either(one, other) => one == pc || other == pc,
        }
    }
}

/// What a step does to control.
#[derive(Clone, Copy, Debug, Default)]
pub struct ControlEffect {
    /// Where the thread goes on.
    pub leads: Successors,
    /// What its instruction does.
    pub flow: FlowKind,
    /// The register whose value it jumps to.
    pub target: Option<RegisterId>,
    /// The test of the flags that decides between two ways: to the second when it holds.
    pub test: Option<FlagTest>,
    /// Number of instructions after it that are executed only when a condition holds.
    pub block: u8,
    /// Address of the instruction after it.
    pub behind: u64,
}

impl ControlEffect {
    /// Takes note that a condition of another instruction decides about this one, and no mark says how.
    pub fn make_conditional(&mut self) {
        if let Successors::One(to) = self.leads {
            self.leads = Successors::Either(self.behind, to);
        }
    }

    /// Takes note of the flags before it.
    pub fn decide(&mut self, flags: u64) {
        if let (Some(test), Successors::Either(behind, target)) = (self.test, self.leads) {
            self.leads = Successors::One(if test.holds(flags) { target } else { behind });
        }
    }
}

/// An instruction as a step shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InstructionKey {
    pc: u64,
    set: InstructionSet,
    encoding: Encoding,
    branch: RecordedBranch,
}

/// What is known of an instruction.
#[derive(Clone, Copy, Debug)]
struct PathCacheEntry {
    seen: InstructionKey,
    course: ControlEffect,
}

/// Tells where steps lead; what was asked of late is remembered.
pub struct PathFinder {
    known: Vec<Option<PathCacheEntry>>,
}

impl Default for PathFinder {
    fn default() -> Self {
        Self {
            known: vec![None; REMEMBERED],
        }
    }
}

impl PathFinder {
    /// Where a step leads, and what its instruction does to control.
    pub fn of(&mut self, step: &StepEvent<'_>) -> ControlEffect {
        let Some(encoding) = step.encoding() else {
            return ControlEffect::default();
        };
        let behind = step.pc.0.wrapping_add(u64::from(step.length_bytes));
        let seen = InstructionKey {
            pc: step.pc.0,
            set: step.instruction_set,
            encoding,
            branch: step.branch,
        };
        let place = (seen.pc >> 1 ^ seen.pc >> 12) as usize % REMEMBERED;
        let known = match self.known.get(place) {
            Some(Some(known)) if known.seen == seen => *known,
            _ => {
                let known = known_of(seen, behind);
                if let Some(place) = self.known.get_mut(place) {
                    *place = Some(known);
                }
                known
            }
        };
        let leads = match step.delay_slot {
            DelaySlot::None if step.is_executed => known.course.leads,
            DelaySlot::None => Successors::One(behind),
            DelaySlot::Executed | DelaySlot::Annulled => Successors::Open,
        };
        ControlEffect {
            leads,
            ..known.course
        }
    }
}

fn known_of(seen: InstructionKey, behind: u64) -> PathCacheEntry {
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
        (ControlSuccessor::Behind, _) => Successors::One(behind),
        (ControlSuccessor::Address(address), _) => Successors::One(set.code_address(address)),
        (ControlSuccessor::Register(_), _) => Successors::Open,
        // A branch of which nothing says whether it was taken.
        (ControlSuccessor::Open, BranchTarget::Address(address))
            if delay == DelaySlotRule::None
                && matches!(flow, FlowKind::Branch | FlowKind::Call | FlowKind::Return) =>
        {
            Successors::Either(behind, set.code_address(address))
        }
        (ControlSuccessor::Open, _) => Successors::Open,
    };
    let target = match target {
        BranchTarget::Register(register) => Some(register),
        BranchTarget::Address(_) | BranchTarget::Unsaid => None,
    };
    let (test, block) = (set.branch_test(&encoding), set.block_length(&encoding));
    PathCacheEntry {
        seen,
        course: ControlEffect {
            leads,
            flow,
            target,
            test,
            block,
            behind,
        },
    }
}
