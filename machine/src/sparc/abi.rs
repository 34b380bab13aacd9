//! Calling conventions (SPARC Compliance Definition 2.4, chapter 3; Linux, `syscall(2)`; Solaris,
//! `<sys/trap.h>`).

use crate::abi::{Abi, ReturnAddress, SystemCallConvention, SystemCallFailure};
use crate::linux::names::SystemCallNumbering;
use crate::view::RegisterId;

/// Link register: `%o7`.
pub const LINK: RegisterId = RegisterId::LR;

/// Conventions of programs with 64-bit registers. On failure the kernel sets the carry, and the
/// result is the error number. Linux sets the carry in `icc` and `xcc`, Solaris only in `icc`.
pub const ABI: Abi = Abi {
    arguments: &["o0", "o1", "o2", "o3", "o4", "o5"],
    result: Some("o0"),
    return_address: ReturnAddress::Register(LINK),
    // The registers of a window, which `save` preserves and a spill handler stores.
    callee_saved: &[
        "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "i0", "i1", "i2", "i3", "i4", "i5", "i6",
        "i7",
    ],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::Sparc,
        number: Some("g1"),
        failure: SystemCallFailure::Flag {
            register: "ccr",
            bit: 0,
        },
        kept_arguments: &[],
        changed: &[
            "o0", "o1", "o2", "o3", "o4", "o5", "g1", "g2", "g3", "g4", "g5", "ccr",
        ],
    },
};

/// Returns the top of the stack. The stack pointer of a 64-bit program is 2,047 bytes lower, so it
/// is odd (SPARC Compliance Definition 2.4, 3P "Stack bias").
pub const fn stack_end(pointer: u64) -> u64 {
    if pointer & 1 == 1 {
        pointer.wrapping_add(2047)
    } else {
        pointer
    }
}

/// Returns the numbering that a software trap uses (Linux, `arch/sparc/kernel/ttable_64.S`;
/// Solaris, `<sys/trap.h>`).
pub const fn numbers_of_trap(trap: u32) -> Option<SystemCallNumbering> {
    match trap {
        0x10 | 0x6d => Some(SystemCallNumbering::Sparc),
        0x00 | 0x08 | 0x40 => Some(SystemCallNumbering::Solaris),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_of_a_64_bit_program_lies_beside_its_pointer() {
        assert_eq!(
            [stack_end(0x40_0080_1621), stack_end(0x4000)],
            [0x40_0080_1e20, 0x4000]
        );
    }
}
