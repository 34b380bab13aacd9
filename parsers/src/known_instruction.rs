//! An instruction that a trace executed.

use stepback_machine::{Address, Encoding, InstructionSet};

/// An instruction that a trace executed at an address, at least once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KnownInstruction {
    /// Address, without a Thumb bit.
    pub pc: Address,
    /// Instruction set in which it decodes.
    pub instruction_set: InstructionSet,
    /// Length in bytes.
    pub length_bytes: u8,
    /// Encoding; `None` if the trace does not record it.
    pub encoding: Option<Encoding>,
}
