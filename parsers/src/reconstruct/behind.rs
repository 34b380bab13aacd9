//! Where control may go behind an instruction of which it is not known how it was come to.

use crate::events::{DelaySlot, StepOrigin};
use crate::gap::{Gap, GapReason};
use crate::reconstruct::path::{PassedStep, PathSink};
use crate::reconstruct::program::{InstructionLookup, Program};

/// More addresses count as any.
const MANY: usize = 64;

/// Where control may go behind an instruction that may stand in a delay slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuccessorSet {
    /// To these addresses.
    pub addresses: Vec<u64>,
    /// To any other, too.
    pub may_be_any: bool,
}

impl SuccessorSet {
    /// Whether control may go to an address.
    pub fn may_be(&self, address: u64) -> bool {
        self.may_be_any || self.addresses.contains(&address)
    }

    /// It may go there, too.
    pub fn add(&mut self, address: u64) {
        match self.addresses.len() {
            _ if self.addresses.contains(&address) => {}
            MANY.. => self.may_be_any = true,
            _ => self.addresses.push(address),
        }
    }

    /// Whether it is known to be nowhere else than behind the instruction.
    pub fn is_nowhere_else(&self) -> bool {
        self.addresses.is_empty() && !self.may_be_any
    }
}

/// A delay slot that is executed, and of which it is not known where it is.
#[derive(Clone, Debug)]
pub struct UnknownDelaySlot {
    /// It may be there.
    pub may_be: SuccessorSet,
    /// It is there unless the fork stood in a delay slot itself.
    pub usual: u64,
    /// Where control goes behind it.
    pub target: u64,
}

impl UnknownDelaySlot {
    /// Whether it may hold an instruction that only goes on.
    pub fn may_be_plain<P: Program>(&self, program: &P) -> bool {
        let is_plain = |pc: &u64| matches!(program.find(*pc), InstructionLookup::Plain { .. });
        self.may_be.may_be_any || self.may_be.addresses.iter().any(is_plain)
    }

    /// Hands on what is known of it: the likely instruction where hardly another comes in question, else that one is missing.
    /// False where nothing is known of what follows, either.
    pub fn pass<P: Program, S: PathSink>(&self, program: &P, sink: &mut S) -> bool {
        let is_likely = self.may_be.addresses == [self.usual];
        if is_likely && matches!(program.find(self.usual), InstructionLookup::Plain { .. }) {
            let (slot, origin) = (DelaySlot::Executed, StepOrigin::Inferred);
            sink.step(PassedStep {
                pc: self.usual,
                outcome: None,
                slot,
                origin,
            });
            return true;
        }
        // What may be anything may be a fork that led elsewhere, and what cannot but be one did.
        let instructions =
            Some(1).filter(|_| !self.may_be.may_be_any && self.may_be_plain(program));
        sink.gap(Gap {
            reason: GapReason::Lost,
            instructions,
        });
        instructions.is_some()
    }
}
