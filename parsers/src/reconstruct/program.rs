//! What a walk asks of a program.

use stepback_machine::ControlFlowEffect;

use crate::reconstruct::behind::SuccessorSet;

/// The instructions of a program, wherever they come from.
pub trait Program {
    /// The instructions from an address on that are no forks, up to `until` if that is one of them or the place behind them.
    fn stretch(&self, from: u64, until: Option<u64>) -> Stretch;

    /// What stands at an address.
    fn find(&self, pc: u64) -> InstructionLookup;

    /// Where control may go behind an instruction, other than on, because it may stand in the delay slot of another.
    fn behind_slot(&self, _pc: u64) -> SuccessorSet {
        SuccessorSet::default()
    }
}

/// Instructions one behind the other, none of which is a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// How many.
    pub instructions: u64,
    /// The address behind the last one.
    pub end: u64,
    /// Why it ends.
    pub ended: StretchEnd,
}

/// Why a stretch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StretchEnd {
    /// It came to where it was to come to.
    There,
    /// The next instruction is a fork.
    AtFork,
    /// No file has the next instruction.
    Unmapped,
}

/// What stands at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionLookup {
    /// An instruction behind which control goes on at this address.
    Plain {
        /// The address.
        behind: u64,
    },
    /// One that may send control elsewhere, or of which the recording tells.
    Fork(Fork),
    /// Nothing is known of it.
    Unmapped,
}

/// An instruction that may send control elsewhere, or of which the recording tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// What it does to control.
    pub control: ControlFlowEffect,
    /// The address behind it.
    pub behind: u64,
    /// Bytes of the instruction in its delay slot; 0 on machines that have none.
    pub slot_bytes: u8,
    /// Whether the recording tells of it.
    pub told: DecisionPresence,
}

impl Fork {
    /// Where a call from here returns to.
    pub fn return_address(&self) -> u64 {
        self.behind.wrapping_add(u64::from(self.slot_bytes))
    }
}

/// Whether a recording tells where control went at a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionPresence {
    /// Each time.
    Always,
    /// Never: it goes where its encoding says, or, if it is a return, to behind its call.
    Never,
    /// As [`Self::Always`] by some recorders, as [`Self::Never`] by others.
    Perhaps,
}
