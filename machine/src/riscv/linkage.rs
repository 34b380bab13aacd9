//! Calling convention (RISC-V ELF psABI; Linux, `syscall(2)`) and linkage stubs (RISC-V ELF psABI,
//! "Program Linkage Table").

use crate::abi::{
    Abi, LinkageStub, ReturnAddress, StubSlot, SystemCallConvention, SystemCallFailure,
};
use crate::linux::names::SystemCallNumbering;
use crate::riscv::xlen::Xlen;
use crate::view::RegisterId;

/// Link register: `ra`.
pub const LINK: RegisterId = RegisterId(1);

/// Calling conventions with 64-bit registers (LP64) and with 32-bit registers (ILP32), which use
/// the same registers.
pub const CONVENTION: Abi = Abi {
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

/// Decodes `auipc t3, page; ld t3, offset(t3)`; `lw` with 32-bit registers.
pub fn slot_of(stub: &LinkageStub<'_>, xlen: Xlen) -> Option<StubSlot> {
    let words: Vec<u32> = stub
        .code
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let (page, load) = (*words.first()?, *words.get(1)?);
    let kind = match xlen {
        Xlen::Bits32 => 2,
        Xlen::Bits64 => 3,
    };
    let is_stub = page & 0xfff == 0xe17 && load & 0xf_ffff == 0xe_0e03 | kind << 12;
    let offset =
        i64::from((page & 0xffff_f000).cast_signed()) + i64::from(load.cast_signed() >> 20);
    is_stub.then(|| StubSlot::Address(xlen.wrapped(stub.address.wrapping_add_signed(offset))))
}
