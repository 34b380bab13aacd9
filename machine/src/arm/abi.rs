//! Conventions of Arm programs: calls (Procedure Call Standard for the Arm Architecture, AAPCS64
//! and AAPCS32; SMC Calling Convention, DEN 0028; Linux, `syscall(2)`), semihosting, and the
//! linkage stubs of AArch64 (ELF for the Arm 64-bit Architecture, "Procedure linkage table"). A
//! macro makes the queries that all Arm instruction sets answer in the same way.

use crate::abi::{
    Abi, LinkageStub, ReturnAddress, SemihostingCall, StubSlot, SystemCallConvention,
    SystemCallFailure,
};
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

/// Decodes `adrp x16, page; ldr x17, [x16, #offset]`, optionally after `bti c`.
pub fn slot_of_aarch64(stub: &LinkageStub<'_>) -> Option<StubSlot> {
    let words: Vec<u32> = stub
        .code
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let at = words
        .iter()
        .position(|word| word & 0x9f00_001f == 0x9000_0010)?;
    let (page, load) = (*words.get(at)?, *words.get(at + 1)?);
    if load & 0xffc0_03ff != 0xf940_0211 {
        return None;
    }
    let immediate = (page >> 5 & 0x7_ffff) << 2 | page >> 29 & 3;
    let pages = i64::from((immediate << 11).cast_signed() >> 11);
    let place = stub.address.wrapping_add(4 * at as u64) & !0xfff;
    let address = place
        .wrapping_add_signed(pages << 12)
        .wrapping_add(u64::from(load >> 10 & 0xfff) << 3);
    Some(StubSlot::Address(address))
}

/// Implements the items of [`crate::architecture::Architecture`] that A64, A32 and T32 share.
macro_rules! shared_by_arm {
    () => {
        fn view(name: &str) -> Option<crate::view::RegisterView> {
            crate::arm::registers::view(name, Self::SET)
        }

        fn other_names() -> Vec<String> {
            crate::register_run::names_of(&crate::arm::registers::OTHERS)
        }

        fn nameable(view: crate::view::RegisterView) -> Option<crate::view::RegisterView> {
            crate::arm::registers::scalable_view(view)
        }

        fn banks(plain: crate::view::RegisterId) -> std::iter::StepBy<std::ops::Range<u16>> {
            crate::arm::banks::banks(plain)
        }

        #[inline(always)]
        fn home(
            mode: crate::mode::Mode,
            plain: crate::view::RegisterId,
        ) -> crate::view::RegisterId {
            crate::arm::banks::home(mode, plain)
        }

        fn twin(
            mode: crate::mode::Mode,
            plain: crate::view::RegisterId,
        ) -> Option<crate::mode::RegisterAlias> {
            crate::arm::banks::twin(mode, plain)
        }

        fn twins(plain: crate::view::RegisterId) -> Vec<crate::view::RegisterId> {
            crate::arm::banks::twins(plain)
        }

        fn is_own_bank(plain: crate::view::RegisterId) -> bool {
            crate::arm::registers::is_own_bank(plain)
        }

        fn banked(name: &str) -> Option<crate::mode::BankedRegister> {
            crate::arm::registers::banked(name)
        }

        fn status(bytes: &[Option<u8>]) -> crate::status::StatusRegister {
            crate::status::StatusRegister::from(&crate::arm::psr::Psr::decode(bytes, Self::SET))
        }

        #[inline(always)]
        fn state_of(status: u32) -> Option<crate::mode::ExecutionState> {
            crate::arm::psr::state_of(status, Self::SET)
        }

        #[inline(always)]
        fn is_link(register: crate::view::RegisterId) -> bool {
            crate::arm::abi::is_link(register)
        }

        fn text_flow(text: &str) -> Option<crate::control::TextFlow> {
            crate::arm::text_flow::text_flow(text)
        }

        fn operand_word(mnemonic: &str, word: &str) -> crate::control::OperandWordKind {
            crate::arm::text_flow::operand_word(mnemonic, word)
        }
    };
}
pub(crate) use shared_by_arm;
