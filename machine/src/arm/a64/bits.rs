//! An A64 encoding and its fields.

use crate::address::Address;
use crate::view::{RegisterId, RegisterView};

use crate::description::MeaningBuilder;
use crate::expression::{Expression, Operation};

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
