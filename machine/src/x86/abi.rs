//! Calling conventions (System V ABI, AMD64 and Intel386 supplements; Linux, `syscall(2)`).

use crate::abi::{Abi, ReturnAddress, SystemCallConvention, SystemCallFailure};
use crate::linux::names::SystemCallNumbering;

/// Calling conventions of 64-bit mode.
pub const ABI_64: Abi = Abi {
    arguments: &["rdi", "rsi", "rdx", "rcx", "r8", "r9"],
    result: Some("rax"),
    return_address: ReturnAddress::Stack,
    // System V ABI for AMD64, figure 3.4.
    callee_saved: &["rbx", "rbp", "r12", "r13", "r14", "r15"],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::X86_64,
        number: Some("rax"),
        failure: SystemCallFailure::Negative,
        kept_arguments: &["rdi", "rsi", "rdx", "r10", "r8", "r9"],
        changed: &["rax", "rcx", "r11"],
    },
};

/// Calling conventions of 32-bit mode, where arguments are on the stack. `sysenter` loses two
/// registers.
pub const ABI_32: Abi = Abi {
    arguments: &[],
    result: Some("eax"),
    return_address: ReturnAddress::Stack,
    // System V ABI for i386, table 2.3.
    callee_saved: &["ebx", "esi", "edi", "ebp"],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::X86_32,
        number: Some("eax"),
        failure: SystemCallFailure::Negative,
        kept_arguments: &[],
        changed: &["eax", "ecx", "edx"],
    },
};
