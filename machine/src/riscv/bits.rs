//! Describes RISC-V instructions from their encodings ([`RiscvDescriber`]), and finds the control
//! flow after them (The RISC-V Instruction Set Manual, volume I, 2.5 and 2.8; volume II, 3.3.2).
//! Compressed instructions are expanded first, so that they need no descriptions.

use crate::control::{BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind};
use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::instruction::{Address, CodeSite, Encoding};
use crate::meaning::{AccessKind, MemoryOperand};
use crate::riscv::compressed::expanded;
use crate::riscv::registers::{Xlen, general};
use crate::view::{RegisterId, RegisterView};

/// Describes an instruction; none for instructions that are not modelled.
pub fn describe(site: &CodeSite, xlen: Xlen) -> Option<MeaningBuilder> {
    let opcode = long_form(&site.encoding, xlen)?;
    let mut bits = RiscvDescriber {
        opcode,
        xlen,
        pc: site.pc,
        after: site.after(),
        description: MeaningBuilder::default(),
    };
    bits.dispatch().then_some(bits.description)
}

/// Returns an encoding as a number, with compressed instructions expanded; none for other lengths
/// and reserved encodings.
pub fn long_form(encoding: &Encoding, xlen: Xlen) -> Option<u32> {
    match *encoding.bytes() {
        [low, high] => expanded(u16::from_le_bytes([low, high]), xlen),
        [a, b, c, d] => Some(u32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}

/// An instruction while its description is built; a compressed one is expanded first.
pub(super) struct RiscvDescriber {
    pub opcode: u32,
    pub xlen: Xlen,
    pub pc: Address,
    /// Address of the next instruction.
    pub after: u64,
    pub description: MeaningBuilder,
}

impl RiscvDescriber {
    fn dispatch(&mut self) -> bool {
        match self.field(0, 7) {
            0x03 => return self.load(),
            0x07 | 0x27 => return self.float_memory(),
            0x0f => return self.field(12, 3) < 2, // FENCE
            0x13 => return self.immediate(),
            0x17 => self.set(Expression::Constant(
                self.pc.0.wrapping_add_signed(self.upper_immediate()),
            )), // AUIPC
            0x1b if self.is_wide() => return self.immediate_word(),
            0x23 => return self.store(),
            0x2f => return self.atomic(),
            0x33 => return self.register(),
            0x37 => self.set(Expression::Constant(self.upper_immediate().cast_unsigned())), // LUI
            0x3b if self.is_wide() => return self.register_word(),
            0x43 | 0x47 | 0x4b | 0x4f | 0x53 => return self.float(),
            0x63 => self.read(&[15, 20]), // branches
            0x67 => {
                self.read(&[15]);
                self.link(); // JALR
            }
            0x6f => self.link(), // JAL
            0x73 => return self.system(),
            _ => return false,
        }
        true
    }

    /// Returns true for 64-bit registers.
    pub fn is_wide(&self) -> bool {
        self.xlen == Xlen::Bits64
    }

    pub fn field(&self, first: u32, width: u32) -> u32 {
        self.opcode >> first & ((1 << width) - 1)
    }

    fn upper_immediate(&self) -> i64 {
        i64::from((self.opcode & 0xffff_f000).cast_signed())
    }

    /// Returns the immediate of loads and arithmetic.
    pub fn immediate_number(&self) -> i64 {
        i64::from(self.opcode.cast_signed() >> 20)
    }

    /// Returns the register whose number is at this bit position; none for `zero`.
    fn view(&self, place: u32) -> Option<RegisterView> {
        let number = u16::try_from(self.field(place, 5))
            .ok()
            .filter(|number| *number > 0)?;
        Some(general(number, self.xlen))
    }

    /// Returns the floating-point register whose number is at this bit position.
    pub fn float_view(&self, place: u32) -> RegisterView {
        let number = u16::try_from(self.field(place, 5)).unwrap_or_default();
        RegisterView::new(RegisterId(RegisterId::V0.0 + number), 0, 8)
    }

    pub fn value(&self, place: u32) -> Expression {
        self.view(place)
            .map_or(Expression::Constant(0), Expression::Register)
    }

    /// Returns the low half of a register.
    pub fn word(&self, place: u32) -> Expression {
        let word = |view| {
            Expression::Register(RegisterView {
                size_bytes: 4,
                ..view
            })
        };
        self.view(place).map_or(Expression::Constant(0), word)
    }

    pub fn read(&mut self, places: &[u32]) {
        for place in places {
            if let Some(view) = self.view(*place) {
                self.description.read(view);
            }
        }
    }

    /// Writes a value to the destination.
    pub fn set(&mut self, value: Expression) {
        let value = match value {
            Expression::Constant(number) => Expression::Constant(self.xlen.wrapped(number)),
            value => value,
        };
        self.description.read_all(&value);
        if let Some(view) = self.view(7) {
            self.description.set(view, value);
        }
    }

    fn link(&mut self) {
        self.set(Expression::Constant(self.after));
    }

    /// Returns the offset of a store, which the encoding splits into two fields.
    pub fn store_offset(&self) -> i64 {
        i64::from(self.opcode.cast_signed() >> 25) << 5 | i64::from(self.field(7, 5))
    }

    pub fn access(
        &mut self,
        kind: AccessKind,
        displacement: i64,
        size_bytes: u16,
        value: Expression,
    ) -> Expression {
        let base = self.view(15);
        self.description.access(MemoryOperand {
            kind,
            segment: None,
            base,
            index: None,
            displacement,
            address_bytes: self.xlen.bits() / 8,
            size_bytes: Some(size_bytes),
            value,
        })
    }

    /// ECALL, EBREAK, and accesses to control registers.
    fn system(&mut self) -> bool {
        let kind = self.field(12, 3);
        if kind == 0 {
            if self.opcode == 0x73 {
                // Kernels return a result in this register.
                self.description.write(general(10, self.xlen));
            }
            return true;
        }
        if kind == 4 {
            return false;
        }
        if kind < 4 {
            self.read(&[15]);
        }
        let status = RegisterView::new(RegisterId::FPSCR, 0, 4);
        if matches!(self.field(20, 12), 1..=3) {
            self.description.read(status);
            self.description.write(status);
        }
        self.set(Expression::Unknown);
        true
    }
}

/// Returns the control transfer of an instruction. Indirect targets are left out: JALR clears the
/// lowest bit, so the target need not equal the register value.
pub fn control(site: &CodeSite, xlen: Xlen) -> ControlFlowEffect {
    let Some(opcode) = long_form(&site.encoding, xlen) else {
        return ControlFlowEffect::default();
    };
    let to =
        |offset: i64| BranchTarget::Address(xlen.wrapped(site.pc.0.wrapping_add_signed(offset)));
    let (flow, target) = match opcode & 0x7f {
        0x63 => (FlowKind::Branch, to(branch_offset(opcode))),
        0x67 => (indirect_flow(opcode), BranchTarget::Unsaid), // JALR
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
    match (is_link(opcode >> 7), is_link(opcode >> 15)) {
        (true, _) => FlowKind::Call,
        (false, true) => FlowKind::Return,
        (false, false) => FlowKind::Branch,
    }
}

fn system_flow(opcode: u32) -> FlowKind {
    match opcode {
        0x0000_0073 | 0x0010_0073 => FlowKind::Trap, // ECALL, EBREAK
        0x1020_0073 | 0x3020_0073 | 0x7020_0073 => FlowKind::ExceptionReturn, // SRET, MRET, MNRET
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
            BranchTarget::Unsaid,
        ); // ret
        check(
            &0x0007_80e7u32.to_le_bytes(),
            FlowKind::Call,
            BranchTarget::Unsaid,
        ); // jalr a5
        check(
            &0x0007_8067u32.to_le_bytes(),
            FlowKind::Branch,
            BranchTarget::Unsaid,
        ); // jr a5
        check(
            &0x8082u16.to_le_bytes(),
            FlowKind::Return,
            BranchTarget::Unsaid,
        ); // c.jr ra
        check(
            &0x9782u16.to_le_bytes(),
            FlowKind::Call,
            BranchTarget::Unsaid,
        ); // c.jalr a5
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
