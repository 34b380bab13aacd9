//! Instructions with their addresses.

use crate::address::Address;
use crate::bytes::Encoding;

/// Address and bytes of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeSite {
    /// Address, without a bit that selects the instruction set.
    pub pc: Address,
    /// Bytes of the instruction.
    pub encoding: Encoding,
}

impl CodeSite {
    /// Returns the address of the next instruction.
    pub fn behind(&self) -> u64 {
        self.pc.0.wrapping_add(self.encoding.bytes().len() as u64)
    }
}
