//! Differences between two matched steps, as plain data.

use stepback_index::answer::Value;
use stepback_machine::{Address, RegisterView};

use crate::region::StepPair;

/// Kind of a difference, in the order in which those of a step are listed: causes before effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// Another instruction at this address.
    Instruction,
    /// Executed in one trace only.
    Condition,
    /// Another address was read.
    ReadAddress,
    /// Another value was read.
    Read,
    /// Another address was written.
    WriteAddress,
    /// Another value was written to memory.
    Write,
    /// Another value was written to a register.
    Register,
}

impl DifferenceKind {
    /// Returns the word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Instruction => "instruction",
            Self::Condition => "condition",
            Self::ReadAddress => "read-address",
            Self::Read => "read",
            Self::WriteAddress => "write-address",
            Self::Write => "write",
            Self::Register => "register",
        }
    }
}

/// Subject of a difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferingPlace {
    /// The instruction at an address of the first trace.
    Code(Address),
    /// The disassembly of the instruction at an address, if its encoding is not recorded. The values
    /// are text.
    Disassembly(Address),
    /// Bytes of memory, at their address in the first trace.
    Memory {
        /// Lowest address.
        address: Address,
        /// Number of bytes.
        len_bytes: u64,
    },
    /// A register.
    Register {
        /// Name in the first trace.
        name: String,
        /// Bytes, as the first trace numbers the register.
        view: RegisterView,
    },
}

/// One thing that a step did differently in the two traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellDifference {
    /// Kind.
    pub kind: DifferenceKind,
    /// Subject.
    pub place: DifferingPlace,
    /// Value in the first trace; an address for the kinds that compare addresses, 1 or 0 for a
    /// condition.
    pub a: Value,
    /// Value in the second trace.
    pub b: Value,
}

/// Two matched steps that did different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDifference {
    /// The steps.
    pub steps: StepPair,
    /// All differences, in the order of their kinds.
    pub cells: Vec<CellDifference>,
}
