//! An instruction where it stands.

use crate::address::Address;
use crate::bytes::Encoding;

/// The bytes of an instruction and their address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeSite {
    /// Its address, without a bit that tells how to decode it.
    pub pc: Address,
    /// Its bytes.
    pub encoding: Encoding,
}

impl CodeSite {
    /// The address behind it.
    pub fn behind(&self) -> u64 {
        self.pc.0.wrapping_add(self.encoding.bytes().len() as u64)
    }
}
