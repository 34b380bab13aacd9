//! Control flow after an instruction (The RISC-V Instruction Set Manual, volume I, 2.5 and 2.8; volume
//! II, 3.3.2).

use crate::control::{BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind};
use crate::instruction::CodeSite;
use crate::riscv::bits::long_form;
use crate::riscv::registers::general;
use crate::riscv::xlen::Xlen;

/// Returns the control transfer of an instruction.
pub fn control(site: &CodeSite, xlen: Xlen) -> ControlFlowEffect {
    let Some(opcode) = long_form(&site.encoding, xlen) else {
        return ControlFlowEffect::default();
    };
    let to =
        |offset: i64| BranchTarget::Address(xlen.wrapped(site.pc.0.wrapping_add_signed(offset)));
    let (flow, target) = match opcode & 0x7f {
        0x63 => (FlowKind::Branch, to(branch_offset(opcode))),
        0x67 => (indirect_flow(opcode), indirect_target(opcode, xlen)), // JALR
        0x6f => (
            if is_link(opcode >> 7) {
                FlowKind::Call
            } else {
                FlowKind::Branch
            },
            to(jump_offset(opcode)),
        ), // JAL
        0x73 => (system_flow(opcode), BranchTarget::Unsaid),
        _ => (FlowKind::Next, BranchTarget::Unsaid),
    };
    ControlFlowEffect {
        flow,
        target,
        delay: DelaySlotRule::None,
    }
}

/// Returns true for the link registers `ra` and `t0` (table 3, "Return-address stack prediction
/// hints").
fn is_link(number: u32) -> bool {
    matches!(number & 31, 1 | 5)
}

fn indirect_flow(opcode: u32) -> FlowKind {
    let (to, from) = (opcode >> 7 & 31, opcode >> 15 & 31);
    match (is_link(to), is_link(from)) {
        // A switch between coroutines: a return followed by a call keeps the depth of the stack.
        (true, true) if to != from => FlowKind::Branch,
        (true, _) => FlowKind::Call,
        (false, true) => FlowKind::Return,
        (false, false) => FlowKind::Branch,
    }
}

/// Returns the register with the target, if nothing is added to it and the return address does not
/// replace it.
fn indirect_target(opcode: u32, xlen: Xlen) -> BranchTarget {
    let (to, from) = (opcode >> 7 & 31, opcode >> 15 & 31);
    if opcode >> 20 == 0 && from != 0 && from != to {
        BranchTarget::Register(general(from as u16, xlen).register)
    } else {
        BranchTarget::Unsaid
    }
}

fn system_flow(opcode: u32) -> FlowKind {
    match opcode {
        0x0000_0073 | 0x0010_0073 => FlowKind::Trap, // ECALL, EBREAK
        // URET, SRET, MRET, MNRET, DRET
        0x0020_0073 | 0x1020_0073 | 0x3020_0073 | 0x7020_0073 | 0x7b20_0073 => {
            FlowKind::ExceptionReturn
        }
        _ => FlowKind::Next,
    }
}

fn branch_offset(opcode: u32) -> i64 {
    let sign = i64::from(opcode.cast_signed() >> 31) << 12;
    sign | i64::from(
        (opcode >> 7 & 1) << 11 | (opcode >> 25 & 0x3f) << 5 | (opcode >> 8 & 0xf) << 1,
    )
}

fn jump_offset(opcode: u32) -> i64 {
    let sign = i64::from(opcode.cast_signed() >> 31) << 20;
    sign | i64::from(opcode & 0xf_f000 | (opcode >> 20 & 1) << 11 | (opcode >> 21 & 0x3ff) << 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::Address;
    use crate::instruction::Encoding;
    use crate::view::RegisterId;

    #[track_caller]
    fn check(bytes: &[u8], flow: FlowKind, target: BranchTarget) {
        let site = CodeSite {
            pc: Address(0x1000),
            encoding: Encoding::new(bytes).unwrap(),
        };
        assert_eq!(
            control(&site, Xlen::Bits64),
            ControlFlowEffect {
                flow,
                target,
                delay: DelaySlotRule::None
            },
            "{bytes:02x?}"
        );
    }

    #[test]
    fn jumps_and_branches_say_where_they_go() {
        check(
            &0x0080_00efu32.to_le_bytes(),
            FlowKind::Call,
            BranchTarget::Address(0x1008),
        ); // jal ra, 8
        check(
            &0xffdf_f06fu32.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Address(0xffc),
        ); // j -4
        check(
            &0xfe05_0ee3u32.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Address(0xffc),
        ); // beqz a0, -4
        check(
            &0xa001u16.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Address(0x1000),
        ); // c.j 0
        check(
            &0xc111u16.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Address(0x1004),
        ); // c.beqz a0, 4
    }

    #[test]
    fn link_registers_tell_calls_from_returns() {
        check(
            &0x0000_8067u32.to_le_bytes(),
            FlowKind::Return,
            BranchTarget::Register(RegisterId(1)),
        ); // ret
        check(
            &0x0007_80e7u32.to_le_bytes(),
            FlowKind::Call,
            BranchTarget::Register(RegisterId(15)),
        ); // jalr a5
        check(
            &0x0007_8067u32.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Register(RegisterId(15)),
        ); // jr a5
        check(
            &0x8082u16.to_le_bytes(),
            FlowKind::Return,
            BranchTarget::Register(RegisterId(1)),
        ); // c.jr ra
        check(
            &0x9782u16.to_le_bytes(),
            FlowKind::Call,
            BranchTarget::Register(RegisterId(15)),
        ); // c.jalr a5
        check(
            &0x0002_80e7u32.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Register(RegisterId(5)),
        ); // jalr ra, t0
        check(
            &0x0002_82e7u32.to_le_bytes(),
            FlowKind::Call,
            BranchTarget::Unsaid,
        ); // jalr t0, t0
        check(
            &0x0002_8067u32.to_le_bytes(),
            FlowKind::Return,
            BranchTarget::Register(RegisterId(5)),
        ); // jr t0
        check(
            &0x0080_02efu32.to_le_bytes(),
            FlowKind::Call,
            BranchTarget::Address(0x1008),
        ); // jal t0, 8
        check(
            &0x0080_036fu32.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Address(0x1008),
        ); // jal t1, 8
    }

    #[test]
    fn a_sum_is_no_register() {
        check(
            &0x0087_80e7u32.to_le_bytes(),
            FlowKind::Call,
            BranchTarget::Unsaid,
        ); // jalr 8(a5)
        check(
            &0x0000_0067u32.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Unsaid,
        ); // jr zero
        check(
            &0x0001_0067u32.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Register(RegisterId::SP),
        ); // jr sp
    }

    #[test]
    fn system_instructions_are_distinguished() {
        check(&0x73u32.to_le_bytes(), FlowKind::Trap, BranchTarget::Unsaid);
        check(
            &0x3020_0073u32.to_le_bytes(),
            FlowKind::ExceptionReturn,
            BranchTarget::Unsaid,
        );
        check(
            &0x1050_0073u32.to_le_bytes(),
            FlowKind::Next,
            BranchTarget::Unsaid,
        ); // wfi
        check(
            &0x0000_0013u32.to_le_bytes(),
            FlowKind::Next,
            BranchTarget::Unsaid,
        );
    }
}
