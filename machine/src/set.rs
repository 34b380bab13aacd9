//! Instruction sets.

use serde::{Deserialize, Serialize};

/// How the bytes of an instruction are to be decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InstructionSet {
    /// AArch64.
    #[default]
    A64,
    /// AArch32, 4-byte instructions.
    A32,
    /// AArch32 Thumb, 2- and 4-byte instructions.
    T32,
    /// x86 in 64-bit mode, 1 to 15 bytes.
    X86_64,
    /// x86 in 32-bit mode, 1 to 15 bytes.
    X86_32,
    /// RISC-V with 64-bit registers, 2- and 4-byte instructions.
    Riscv64,
    /// The synthetic instructions of DynamoRIO that name registers and a category alone: nothing decodes them.
    Regdeps,
}

impl InstructionSet {
    /// Bytes of an address, and of a general register.
    pub const fn word_bytes(self) -> u16 {
        match self {
            Self::A64 | Self::X86_64 | Self::Riscv64 | Self::Regdeps => 8,
            Self::A32 | Self::T32 | Self::X86_32 => 4,
        }
    }

    /// A32 or T32.
    pub const fn is_aarch32(self) -> bool {
        matches!(self, Self::A32 | Self::T32)
    }

    /// A64, A32 or T32.
    pub const fn is_arm(self) -> bool {
        matches!(self, Self::A64 | Self::A32 | Self::T32)
    }

    /// x86 in either mode.
    pub const fn is_x86(self) -> bool {
        matches!(self, Self::X86_64 | Self::X86_32)
    }
}
