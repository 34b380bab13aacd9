//! Successors of an instruction that may be in a delay slot.

use crate::events::{DelaySlot, StepOrigin};
use crate::gap::{Gap, GapReason};
use crate::reconstruct::path::{PassedStep, PathSink};
use crate::reconstruct::program::{InstructionLookup, Program};

/// Maximum number of addresses in a [`SuccessorSet`]; more count as any address.
const MANY: usize = 64;

/// Set of addresses that control may reach after an instruction that may be in a delay slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuccessorSet {
    /// Possible addresses.
    pub addresses: Vec<u64>,
    /// True when any other address is possible, too.
    pub may_be_any: bool,
}

impl SuccessorSet {
    /// Returns whether control may go to an address.
    pub fn may_be(&self, address: u64) -> bool {
        self.may_be_any || self.addresses.contains(&address)
    }

    /// Adds a possible address.
    pub fn add(&mut self, address: u64) {
        match self.addresses.len() {
            _ if self.addresses.contains(&address) => {}
            MANY.. => self.may_be_any = true,
            _ => self.addresses.push(address),
        }
    }

    /// Returns whether the instruction can only be followed by the next one in memory.
    pub fn is_nowhere_else(&self) -> bool {
        self.addresses.is_empty() && !self.may_be_any
    }
}

/// Delay slot that is executed, and whose address is unknown.
#[derive(Clone, Debug)]
pub struct UnknownDelaySlot {
    /// Addresses at which it may be.
    pub may_be: SuccessorSet,
    /// Its address, unless the fork itself was in a delay slot.
    pub usual: u64,
    /// Address to which control goes after it.
    pub target: u64,
}

impl UnknownDelaySlot {
    /// Returns whether it may hold a plain instruction, which is no fork.
    pub fn may_be_plain<P: Program>(&self, program: &P) -> bool {
        let is_plain = |pc: &u64| matches!(program.find(*pc), InstructionLookup::Plain { .. });
        self.may_be.may_be_any || self.may_be.addresses.iter().any(is_plain)
    }

    /// Emits what is known of the slot: the likely instruction if hardly another is possible,
    /// otherwise a gap.
    /// Returns false if what follows is unknown, too.
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
        // If it may be any instruction, it may be a fork that went elsewhere. If it can only be a
        // fork, it went elsewhere.
        let instructions =
            Some(1).filter(|_| !self.may_be.may_be_any && self.may_be_plain(program));
        sink.gap(Gap {
            reason: GapReason::Lost,
            instructions,
        });
        instructions.is_some()
    }
}
