//! Position of an instruction, for traces that do not state instruction sets.

use crate::set::InstructionSet;

/// Facts about an instruction other than its bytes.
#[derive(Clone, Copy, Debug)]
pub struct InstructionPlacement {
    /// Address as recorded.
    pub address: u64,
    /// Length in bytes.
    pub length_bytes: u16,
    /// Instruction set of the preceding instruction, which ends at this address, if one was seen.
    pub after: Option<InstructionSet>,
}
