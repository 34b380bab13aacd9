//! Describes A64 instructions from their encodings ([`A64Describer`]): the fields that the encoding
//! classes share, and branches, exceptions and system registers. Other files of the folder describe
//! the other classes (DDI 0487, C4.1).

use crate::arm::flags::{C, NZCV, V, Z};
use crate::description::MeaningBuilder;
use crate::expression::{Expression, Operation};
use crate::instruction::Address;
use crate::view::{RegisterId, RegisterView};

/// Describes an instruction; none for those that the disassembler must describe.
pub fn describe(opcode: u32, pc: Address) -> Option<MeaningBuilder> {
    let mut bits = A64Describer {
        opcode,
        pc,
        description: MeaningBuilder::default(),
    };
    let is_described = match bits.field(25, 4) {
        0b1000 | 0b1001 => bits.immediate(),
        0b1010 | 0b1011 => bits.control(),
        0b0101 | 0b1101 => bits.register(),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => bits.memory(),
        0b0111 | 0b1111 => bits.vector(),
        _ => false,
    };
    is_described.then_some(bits.description)
}

/// An instruction while its description is built.
pub(super) struct A64Describer {
    pub opcode: u32,
    pub pc: Address,
    pub description: MeaningBuilder,
}

/// Width of a general register operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GeneralWidth {
    /// 32 bits: `w3`.
    W,
    /// 64 bits: `x3`.
    X,
}

/// Meaning of register number 31.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Register31 {
    Zero,
    Stack,
}

pub(super) const FLAGS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 4);

impl A64Describer {
    pub fn field(&self, first: u32, width: u32) -> u32 {
        self.opcode >> first & ((1 << width) - 1)
    }

    pub fn flag(&self, place: u32) -> bool {
        self.field(place, 1) == 1
    }

    /// Returns a field as a signed number.
    pub fn signed(&self, first: u32, width: u32) -> i64 {
        let unused = 32 - width;
        i64::from((self.field(first, width) << unused).cast_signed() >> unused)
    }

    pub fn matches(&self, mask: u32, value: u32) -> bool {
        self.opcode & mask == value
    }

    /// Returns true if the sf bit selects 64 bits.
    pub fn is_wide(&self) -> bool {
        self.flag(31)
    }

    /// Returns the width that the sf bit selects.
    pub fn width(&self) -> GeneralWidth {
        if self.is_wide() {
            GeneralWidth::X
        } else {
            GeneralWidth::W
        }
    }

    pub fn width_bits(&self) -> u8 {
        if self.is_wide() { 64 } else { 32 }
    }

    /// Returns the register whose number is at this bit position; none for the zero register.
    pub fn general(
        &self,
        place: u32,
        width: GeneralWidth,
        last: Register31,
    ) -> Option<RegisterView> {
        let size_bytes = if width == GeneralWidth::X { 8 } else { 4 };
        let register = match u16::try_from(self.field(place, 5)).unwrap_or_default() {
            31 if last == Register31::Zero => return None,
            31 => RegisterId::SP,
            number => RegisterId(number),
        };
        Some(RegisterView::new(register, 0, size_bytes))
    }

    /// Returns the value of the register whose number is at this bit position.
    pub fn value(&self, place: u32, last: Register31) -> Expression {
        self.value_of_width(place, self.width(), last)
    }

    pub fn value_of_width(&self, place: u32, width: GeneralWidth, last: Register31) -> Expression {
        self.general(place, width, last)
            .map_or(Expression::Constant(0), Expression::Register)
    }

    /// Writes the result to the register whose number is in the lowest bits.
    pub fn set_result(&mut self, value: Expression, last: Register31) {
        let value = value.zero_extended(self.width_bits());
        self.set_general(0, value, last);
    }

    /// Writes a 64-bit value to a general register.
    pub fn set_general(&mut self, place: u32, value: Expression, last: Register31) {
        if let Some(view) = self.general(place, GeneralWidth::X, last) {
            self.description.set(view, value);
        }
    }

    /// Adds general registers as inputs of an unknown result.
    pub fn read_general(&mut self, places: &[u32], width: GeneralWidth) {
        for place in places {
            if let Some(view) = self.general(*place, width, Register31::Zero) {
                self.description.read(view);
            }
        }
    }

    /// Returns the low bytes of a vector register.
    pub fn vector_view(&self, number: u32, size_bytes: u16) -> RegisterView {
        let number = u16::try_from(number % 32).unwrap_or_default();
        RegisterView::new(RegisterId(RegisterId::V0.0 + number), 0, size_bytes)
    }
}

/// Returns a value shifted or rotated by a constant, within a width.
pub(super) fn shifted(value: Expression, kind: u32, amount: u32, width_bits: u8) -> Expression {
    let by = |amount: u32| Expression::Constant(u64::from(amount));
    let value = if kind == 0 {
        value
    } else {
        value.zero_extended(width_bits)
    };
    match kind {
        _ if amount == 0 => value,
        0 => value.with(Operation::ShiftLeft, by(amount)),
        1 => value.with(Operation::ShiftRight, by(amount)),
        2 => value
            .sign_extended(width_bits)
            .with(Operation::ShiftRightSigned, by(amount)),
        _ => {
            let left = value.clone().with(
                Operation::ShiftLeft,
                by(u32::from(width_bits).saturating_sub(amount)),
            );
            value
                .with(Operation::ShiftRight, by(amount))
                .with(Operation::Or, left)
        }
    }
}

/// Returns the bitwise complement of a value.
pub(super) fn inverted(value: Expression) -> Expression {
    value.with(Operation::Xor, Expression::Constant(u64::MAX))
}

const LINK: RegisterView = RegisterView::new(RegisterId(30), 0, 8);
const STACK: RegisterView = RegisterView::new(RegisterId::SP, 0, 8);

impl A64Describer {
    pub fn control(&mut self) -> bool {
        match self.opcode >> 24 {
            0x14..=0x17 => {} // B
            0x94..=0x97 => self.link(),
            0x54 => self.description.read(FLAGS),
            0x34..=0x37 | 0xb4..=0xb7 => self.read_general(&[0], self.width()), // CBZ, TBZ
            0xd4 => self.exception(),
            0xd5 => return self.system(),
            0xd6 | 0xd7 => return self.branch_to_register(),
            _ => return false,
        }
        true
    }

    /// Writes the return address of a call.
    fn link(&mut self) {
        self.description
            .set(LINK, Expression::Constant(self.pc.0.wrapping_add(4)));
    }

    /// SVC, HVC and SMC return the result of a kernel or hypervisor call in `x0`; HLT returns that
    /// of a debugger.
    fn exception(&mut self) {
        let is_call = matches!(self.field(0, 5), 1..=3) && self.field(21, 3) == 0;
        if is_call || self.field(21, 3) == 2 {
            self.description
                .write(RegisterView::new(RegisterId::X0, 0, 8));
        }
    }

    fn branch_to_register(&mut self) -> bool {
        let kind = self.field(21, 4);
        if kind > 2 && !matches!(kind, 8 | 9) {
            return matches!(kind, 4 | 5); // ERET, DRPS
        }
        self.read_general(&[5], GeneralWidth::X);
        if kind & 7 == 2 && self.field(5, 5) == 31 {
            self.description.read(LINK); // RETAA
        }
        let has_modifier = kind >= 8 || self.flag(11) && kind == 2;
        if has_modifier {
            self.description.read(if kind == 2 {
                STACK
            } else {
                self.general(0, GeneralWidth::X, Register31::Stack)
                    .unwrap_or(STACK)
            });
        }
        if kind & 7 == 1 {
            self.link();
        }
        true
    }

    fn system(&mut self) -> bool {
        match self.opcode & !31 {
            // Hints; the pointer authentication hints change x30 or x17.
            0xd503_2300..=0xd503_23e0 => self.sign(LINK),
            _ if self.opcode == 0xd503_20ff => self.sign(LINK), // XPACLRI
            0xd503_2100..=0xd503_21e0 => self.sign(RegisterView::new(RegisterId(17), 0, 8)),
            0xd503_2000..=0xd503_3fe0 => {} // other hints, barriers
            0xd500_4000 if self.field(0, 5) == 31 => self.change_flags(C, C), // CFINV
            0xd500_4020 if self.field(0, 5) == 31 => self.change_flags(C | Z, NZCV), // XAFLAG
            0xd500_4040 if self.field(0, 5) == 31 => self.change_flags(C | V | Z, NZCV), // AXFLAG
            _ if self.is_other_state() => self.keep_flags(),
            0xd53b_4200 => self.read_system(FLAGS),
            0xd53b_4400 => self.read_system(RegisterView::new(RegisterId::FPCR, 0, 4)),
            0xd53b_4420 => self.read_system(RegisterView::new(RegisterId::FPSR, 0, 4)),
            0xd51b_4200 => self.write_system(FLAGS),
            0xd51b_4400 => self.write_system(RegisterView::new(RegisterId::FPCR, 0, 4)),
            0xd51b_4420 => self.write_system(RegisterView::new(RegisterId::FPSR, 0, 4)),
            // DC ZVA writes a block whose size the trace does not state.
            0xd50b_7420 => {
                self.read_general(&[0], GeneralWidth::X);
                self.description.access_unknown();
            }
            _ if self.matches(0xfff0_0000, 0xd530_0000) => {
                self.set_general(0, Expression::Unknown, Register31::Zero)
            } // MRS
            _ if self.matches(0xfff0_0000, 0xd510_0000) => self.read_general(&[0], GeneralWidth::X), // MSR
            _ if self.matches(0xfff8_0000, 0xd508_0000) => self.read_general(&[0], GeneralWidth::X), // SYS
            _ => return false,
        }
        true
    }

    /// Returns true for MSR (immediate) of DAIF, PAN, SPSel and the like, but not of SVCR, which
    /// clears vectors.
    fn is_other_state(&self) -> bool {
        self.matches(0xfff8_f01f, 0xd500_401f) && !self.matches(0x0007_00e0, 0x0003_0060)
    }

    fn change_flags(&mut self, read: u64, written: u64) {
        self.description.read(FLAGS);
        self.description.write(FLAGS);
        self.description.meaning.flags.read = Some(read);
        self.description.meaning.flags.written = Some(written);
    }

    /// Adds a write of the status register that leaves the condition flags unchanged.
    fn keep_flags(&mut self) {
        self.change_flags(0, NZCV);
        self.description.meaning.flags.kept = NZCV;
    }

    fn sign(&mut self, pointer: RegisterView) {
        self.description.read(pointer);
        self.description.read(STACK);
        self.description.write(pointer);
    }

    fn read_system(&mut self, view: RegisterView) {
        let value = if view == FLAGS {
            Expression::Unknown
        } else {
            Expression::Register(view)
        };
        self.description.read(view);
        self.set_general(0, value, Register31::Zero);
    }

    fn write_system(&mut self, view: RegisterView) {
        self.read_general(&[0], GeneralWidth::X);
        self.description.write(view);
    }
}
