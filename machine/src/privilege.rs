//! Kernel and programs.

/// Whose code accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// A program's.
    User,
    /// The kernel's.
    Kernel,
}

impl Privilege {
    /// False for addresses between the two halves of an address space, of which the upper one is the kernel's.
    /// With five levels of tables they reach to bit 56 (Intel SDM, volume 1, 3.3.7.1 "Canonical Addressing").
    pub const fn reaches(self, address: u64) -> bool {
        match address >> 56 {
            0 => true,
            0xff => matches!(self, Self::Kernel),
            _ => false,
        }
    }
}
