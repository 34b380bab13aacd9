//! Interface of a walk: the [`Program`] that it follows, the recorded [`Decision`]s, and the
//! [`PathSink`] that receives the path. An instruction in a delay slot may have several successors,
//! which depend on the branch before it ([`SuccessorSet`]).

use stepback_machine::flow::ControlFlowEffect;

use crate::events::{DelaySlot, StepOrigin};
use crate::marker::{Gap, GapReason};

/// Instructions of a program, from any source.
pub trait Program {
    /// Returns the run of instructions from an address on that are no forks. It ends at `until` if
    /// that is one of them or the address after the last.
    fn stretch(&self, from: u64, until: Option<u64>) -> Stretch;

    /// Returns the instruction at an address.
    fn find(&self, pc: u64) -> InstructionLookup;

    /// Returns the successors of an instruction other than the next one in memory: it may be in the
    /// delay slot of a fork.
    fn after_slot(&self, _pc: u64) -> SuccessorSet {
        SuccessorSet::default()
    }
}

/// Consecutive instructions, none of which is a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Number of instructions.
    pub instructions: u64,
    /// Address after the last instruction.
    pub end: u64,
    /// Reason for the end of the run.
    pub ended: StretchEnd,
}

/// Reason for the end of a [`Stretch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StretchEnd {
    /// The requested address was reached.
    There,
    /// The next instruction is a fork.
    AtFork,
    /// No file contains the next instruction.
    Unmapped,
}

/// Result of looking up an address in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionLookup {
    /// Instruction that passes control to the next one in memory.
    Plain {
        /// Address of the next instruction.
        after: u64,
    },
    /// Instruction that may redirect control, or for which the recording has decisions.
    Fork(Fork),
    /// The address is in no known file.
    Unmapped,
}

/// Instruction that may redirect control, or for which the recording has decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Effect on control.
    pub control: ControlFlowEffect,
    /// Address after the instruction.
    pub after: u64,
    /// Size of the instruction in its delay slot, in bytes; 0 on machines without delay slots.
    pub slot_bytes: u8,
    /// Presence of decisions for it in the recording.
    pub stated: DecisionPresence,
}

impl Fork {
    /// Returns the return address of a call at this fork.
    pub fn return_address(&self) -> u64 {
        self.after.wrapping_add(u64::from(self.slot_bytes))
    }
}

/// States if a recording has the direction of control at a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionPresence {
    /// A decision is recorded each time.
    Always,
    /// No decision is recorded: control goes where the encoding says, or a return goes to the
    /// address after its call.
    Never,
    /// Some recorders behave as [`Self::Always`], others as [`Self::Never`].
    Perhaps,
}

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

/// Direction of control at a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Direction that control took.
    pub outcome: Outcome,
    /// Address of the instruction between a fork with a delay slot and its target, if recorded.
    pub slot: Option<u64>,
}

/// Direction of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Control continued after the fork.
    NotTaken,
    /// Control went to the target that the fork's encoding names.
    Taken,
    /// Control went to this address, which only the recording states.
    To(u64),
}

/// Receives the path of a thread, in execution order.
pub trait PathSink {
    /// Consecutive instructions; none is a fork or in a delay slot.
    fn stretch(&mut self, stretch: PassedStretch);

    /// Single instruction.
    fn step(&mut self, step: PassedStep);

    /// Instructions are missing here.
    fn gap(&mut self, gap: Gap);
}

/// Consecutive instructions that were executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedStretch {
    /// Address of the first instruction.
    pub first: u64,
    /// Number of instructions.
    pub instructions: u64,
    /// Source of the knowledge that they were executed.
    pub origin: StepOrigin,
}

/// Instruction that was executed, or annulled in its delay slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedStep {
    /// Address of the instruction.
    pub pc: u64,
    /// Direction of control at a fork; `None` for an annulled slot and for an instruction that is
    /// no fork.
    pub outcome: Option<Outcome>,
    /// Relation to a delay slot.
    pub slot: DelaySlot,
    /// Source of the knowledge that it was executed.
    pub origin: StepOrigin,
}
