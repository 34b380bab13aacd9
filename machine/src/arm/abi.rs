//! Calling conventions (Procedure Call Standard for the Arm Architecture, AAPCS64 and AAPCS32; SMC
//! Calling Convention, DEN 0028; Linux, `syscall(2)`).

use crate::abi::{Abi, ReturnAddress, SystemCallConvention, SystemCallFailure};
use crate::host_call::SemihostingCall;
use crate::linux::names::SystemCallNumbering;
use crate::view::RegisterId;

/// Link register of A64.
pub const LINK_64: RegisterId = RegisterId(30);

/// Calling conventions of AArch64.
pub const AAPCS64: Abi = Abi {
    arguments: &["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"],
    result: Some("x0"),
    return_address: ReturnAddress::Register(LINK_64),
    // AAPCS64, sections 6.1.1 and 6.1.2.
    callee_saved: &[
        "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "d8", "d9",
        "d10", "d11", "d12", "d13", "d14", "d15",
    ],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::Generic,
        number: Some("x8"),
        failure: SystemCallFailure::Negative,
        kept_arguments: &[],
        changed: &["x0"],
    },
};

/// Calling conventions of AArch32.
pub const AAPCS32: Abi = Abi {
    arguments: &["r0", "r1", "r2", "r3"],
    result: Some("r0"),
    return_address: ReturnAddress::Register(RegisterId::LR),
    // AAPCS32, sections 6.1.1 and 6.1.2.1.
    callee_saved: &[
        "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "d8", "d9", "d10", "d11", "d12", "d13",
        "d14", "d15",
    ],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::Arm,
        number: Some("r7"),
        failure: SystemCallFailure::Negative,
        kept_arguments: &[],
        changed: &["r0"],
    },
};

/// Registers that a call to firmware or a hypervisor may change in AArch64: the same as for a
/// function call.
pub const FIRMWARE_64: &[&str] = &[
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
    "x15", "x16", "x17",
];
/// Registers that such a call may change in AArch32.
pub const FIRMWARE_32: &[&str] = &["r0", "r1", "r2", "r3", "r12"];

/// Semihosting in AArch64.
pub const HOST_CALL_64: SemihostingCall = SemihostingCall {
    operation: "w0",
    argument: "x1",
};
/// Semihosting in AArch32.
pub const HOST_CALL_32: SemihostingCall = SemihostingCall {
    operation: "r0",
    argument: "r1",
};

/// Returns true for the link registers of both execution states: a processor may switch between
/// them.
#[inline(always)]
pub fn is_link(register: RegisterId) -> bool {
    matches!(register, LINK_64 | RegisterId::LR)
}
