//! Calling convention (RISC-V ELF psABI; Linux, `syscall(2)`).

use crate::abi::{Abi, ReturnAddress, SystemCallConvention, SystemCallFailure};
use crate::linux::names::SystemCallNumbering;
use crate::view::RegisterId;

/// Link register: `ra`.
pub const LINK: RegisterId = RegisterId(1);

/// Calling conventions with 64-bit registers.
pub const LP64: Abi = Abi {
    arguments: &["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"],
    result: Some("a0"),
    return_address: ReturnAddress::Register(LINK),
    // RISC-V ELF psABI, tables 1 and 2.
    callee_saved: &[
        "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "fs0", "fs1",
        "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11",
    ],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::Generic,
        number: Some("a7"),
        failure: SystemCallFailure::Negative,
        kept_arguments: &[],
        changed: &["a0"],
    },
};
