//! Privilege of memory accesses.

/// Privilege level of the code that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// A user program.
    User,
    /// The kernel.
    Kernel,
}

impl Privilege {
    /// Returns true if the address is in a half of the address space that this code can use: only
    /// the kernel uses the upper one. With five levels of page tables each half has 2^56 bytes
    /// (Intel SDM, volume 1, 3.3.7.1 "Canonical Addressing").
    pub const fn reaches(self, address: u64) -> bool {
        match address >> 56 {
            0 => true,
            0xff => matches!(self, Self::Kernel),
            _ => false,
        }
    }
}
