//! Instruction sets.

use serde::{Deserialize, Serialize};

/// Instruction set: determines how the bytes of an instruction are decoded.
///
/// The architectures implement the queries; `rows.rs` dispatches them.
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
    /// DynamoRIO's synthetic instructions, which name only registers and a category and cannot be
    /// decoded further.
    Regdeps,
    /// SPARC V9, 4-byte instructions, most significant byte first.
    Sparc64,
    /// RISC-V with 32-bit registers, 2- and 4-byte instructions.
    Riscv32,
}

impl InstructionSet {
    /// All sets, each at the index of its number.
    pub const ALL: [Self; 9] = [
        Self::A64,
        Self::A32,
        Self::T32,
        Self::X86_64,
        Self::X86_32,
        Self::Riscv64,
        Self::Regdeps,
        Self::Sparc64,
        Self::Riscv32,
    ];

    /// Returns the number that represents the set in files; it never changes.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the set with a number; none for other numbers.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_their_sets() {
        for set in InstructionSet::ALL {
            assert_eq!(InstructionSet::of_number(set.number()), Some(set));
        }
        assert_eq!(InstructionSet::of_number(9), None);
    }

    #[test]
    fn processors_execute_several_sets() {
        use InstructionSet::{A32, A64, Regdeps, Riscv32, Riscv64, Sparc64, T32, X86_64};
        for (one, other, expected) in [
            (A64, T32, true),
            (T32, A32, true),
            (X86_64, X86_64, true),
            (Regdeps, X86_64, true),
            (A64, X86_64, false),
            (A64, Sparc64, false),
            (Riscv32, Riscv64, false),
        ] {
            assert_eq!(one.shares_processor(other), expected, "{one:?} {other:?}");
            assert_eq!(other.shares_processor(one), expected, "{other:?} {one:?}");
        }
    }
}
