//! Register width, by which the 32-bit and the 64-bit architecture differ ([`Xlen`]).

/// Width of the general registers, the XLEN of the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Xlen {
    /// RV32.
    Bits32,
    /// RV64.
    Bits64,
}

impl Xlen {
    /// Returns the width in bytes.
    pub const fn bytes(self) -> u16 {
        match self {
            Self::Bits32 => 4,
            Self::Bits64 => 8,
        }
    }

    /// Returns the width in bits.
    pub const fn bits(self) -> u8 {
        match self {
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }

    /// Returns the bits of a number that a general register can hold.
    pub const fn wrapped(self, number: u64) -> u64 {
        match self {
            Self::Bits32 => number & 0xffff_ffff,
            Self::Bits64 => number,
        }
    }
}
