//! Calling convention (RISC-V ELF psABI; Linux, `syscall(2)`).

use crate::abi::{Abi, Failure, ReturnAddress, SystemCalls};
use crate::linux::names::Numbers;
use crate::view::RegisterId;

/// `ra`.
pub const LINK: RegisterId = RegisterId(1);

/// With 64-bit registers.
pub const LP64: Abi = Abi {
    arguments: &["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"],
    result: Some("a0"),
    return_address: ReturnAddress::Register(LINK),
    system_calls: SystemCalls {
        numbers: Numbers::Generic,
        number: Some("a7"),
        failure: Failure::Negative,
        kept_arguments: &[],
        changed: &["a0"],
    },
};
