//! An instruction that a trace executed.

use stepback_machine::{Address, Encoding, InstructionSet};

/// An instruction that a trace executed at an address, however often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KnownInstruction {
    /// Where, without a Thumb bit.
    pub pc: Address,
    /// How it decodes.
    pub instruction_set: InstructionSet,
    /// Its length in bytes.
    pub length_bytes: u8,
    /// Its bytes; none when the trace does not record them.
    pub encoding: Option<Encoding>,
}
