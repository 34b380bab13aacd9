//! Interface between a walk and the program it follows.

use stepback_machine::ControlFlowEffect;

use crate::reconstruct::behind::SuccessorSet;

/// Instructions of a program, from any source.
pub trait Program {
    /// Returns the run of instructions from an address on that are no forks. It ends at `until` if
    /// that is one of them or the address after the last.
    fn stretch(&self, from: u64, until: Option<u64>) -> Stretch;

    /// Returns the instruction at an address.
    fn find(&self, pc: u64) -> InstructionLookup;

    /// Returns the successors of an instruction other than the next one in memory: it may be in the
    /// delay slot of a fork.
    fn behind_slot(&self, _pc: u64) -> SuccessorSet {
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
        behind: u64,
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
    pub behind: u64,
    /// Size of the instruction in its delay slot, in bytes; 0 on machines without delay slots.
    pub slot_bytes: u8,
    /// Presence of decisions for it in the recording.
    pub told: DecisionPresence,
}

impl Fork {
    /// Returns the return address of a call at this fork.
    pub fn return_address(&self) -> u64 {
        self.behind.wrapping_add(u64::from(self.slot_bytes))
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
