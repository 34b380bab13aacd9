//! Where an instruction stands, for traces that do not say how it decodes.

use crate::set::InstructionSet;

/// What is known of an instruction besides its bytes.
#[derive(Clone, Copy, Debug)]
pub struct InstructionPlacement {
    /// Its address as it was recorded.
    pub address: u64,
    /// Its length.
    pub length_bytes: u16,
    /// The set of the instruction that ends where this one begins, if one was seen.
    pub behind: Option<InstructionSet>,
}
