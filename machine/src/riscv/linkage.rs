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

/// Returns true for ADDI, ADD and SUB with `sp` as operand and destination, their compressed forms,
/// and CM.PUSH and CM.POP.
pub fn computes_stack_from_itself(opcode: u32) -> bool {
    let (to, first, second) = (opcode >> 7 & 31, opcode >> 15 & 31, opcode >> 20 & 31);
    match opcode & 0x707f {
        _ if opcode & 3 != 3 => {
            let is_add = matches!(opcode & 0xe003, 0x0001 | 0x6001) || opcode & 0xf003 == 0x9002;
            to == 2 && is_add || opcode & 0xf903 == 0xb802
        }
        0x13 => to == 2 && first == 2,
        0x33 => to == 2 && (first == 2 || second == 2) && opcode >> 25 & !0x20 == 0,
        _ => false,
    }
}

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

#[cfg(test)]
mod tests {
    use super::computes_stack_from_itself;

    #[test]
    fn frames_are_made_from_the_stack_pointer() {
        // addi sp, sp, -32; sub sp, sp, t0; add sp, t0, sp; c.addi sp, -16; c.addi16sp -256;
        // c.add sp, t0; cm.push {ra}, -16; cm.popret {ra}, 16.
        for opcode in [
            0xfe01_0113,
            0x4051_0133,
            0x0022_8133,
            0x1141,
            0x7111,
            0x9116,
            0xb842,
            0xbe42,
        ] {
            assert!(computes_stack_from_itself(opcode), "{opcode:#x}");
        }
        // addi sp, s0, -32; mv sp, t0 (compressed too); lui sp, 0x80010 (compressed form of others);
        // csrrw sp, mscratch, sp; addi a0, sp, 16.
        for opcode in [
            0xfe04_0113,
            0x0002_8113,
            0x8116,
            0x8001_0137,
            0x3401_1173,
            0x0101_0513,
        ] {
            assert!(!computes_stack_from_itself(opcode), "{opcode:#x}");
        }
    }
}
