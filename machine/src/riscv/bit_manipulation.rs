//! Bit manipulation: Zba, Zbb, Zbkb and Zbs. A result that needs more than integer operations is
//! unknown.

use crate::expression::{Expression, Operation};
use crate::riscv::bits::RiscvDescriber;
use crate::view::RegisterView;

impl RiscvDescriber {
    /// Returns the result of an instruction; none for others, and for results that are not
    /// modelled.
    pub fn manipulated(&self) -> Option<Expression> {
        match self.field(0, 7) {
            0x13 => self.manipulated_immediate(),
            0x1b => self.manipulated_word_immediate(),
            0x33 => self.manipulated_registers(),
            _ => self.manipulated_words(),
        }
    }

    fn manipulated_immediate(&self) -> Option<Expression> {
        let value = self.value(15);
        let amount = self.field(20, if self.is_wide() { 6 } else { 5 });
        let bit = || Expression::Constant(1 << amount);
        Some(match (self.field(12, 3), self.field(26, 6)) {
            (1, 0x18) if self.field(20, 6) == 4 => self.part(15, 1).sign_extended(8), // SEXT.B
            (1, 0x18) if self.field(20, 6) == 5 => self.part(15, 2).sign_extended(16), // SEXT.H
            (1, 0x0a) => value.with(Operation::Or, bit()),                            // BSETI
            (1, 0x12) => value.with(Operation::And, self.inverse(bit())),             // BCLRI
            (1, 0x1a) => value.with(Operation::Xor, bit()),                           // BINVI
            (5, 0x12) => value
                .with(Operation::ShiftRight, Expression::Constant(amount.into()))
                .with(Operation::And, Expression::Constant(1)), // BEXTI
            (5, 0x18) => {
                let bits = u32::from(self.xlen.bits());
                rotated(value, amount, bits) // RORI
            }
            _ => return None,
        })
    }

    fn manipulated_word_immediate(&self) -> Option<Expression> {
        let value = self.word(15);
        let amount = Expression::Constant(self.field(20, 6).into());
        match (self.field(12, 3), self.field(26, 6)) {
            (1, 2) => Some(value.with(Operation::ShiftLeft, amount)), // SLLI.UW
            (5, 0x18) => Some(rotated(value, self.field(20, 5), 32).sign_extended(32)), // RORIW
            _ => None,
        }
    }

    fn manipulated_registers(&self) -> Option<Expression> {
        let (left, right) = (self.value(15), self.value(20));
        let last = Expression::Constant(u64::from(self.xlen.bits()) - 1);
        let amount = || self.value(20).with(Operation::And, last.clone());
        let opposite = || {
            Expression::Constant(0)
                .with(Operation::Subtract, self.value(20))
                .with(Operation::And, last.clone())
        };
        let bit = || Expression::Constant(1).with(Operation::ShiftLeft, amount());
        let half = self.xlen.bytes() / 2;
        Some(match (self.field(25, 7), self.field(12, 3)) {
            (0x20, 7) => left.with(Operation::And, self.inverse(right)), // ANDN
            (0x20, 6) => left.with(Operation::Or, self.inverse(right)),  // ORN
            (0x20, 4) => self.inverse(left.with(Operation::Xor, right)), // XNOR
            (0x04, 4) => self.packed(half),                              // PACK
            (0x04, 7) => self.packed(1),                                 // PACKH
            (0x14, 1) => left.with(Operation::Or, bit()),                // BSET
            (0x24, 1) => left.with(Operation::And, self.inverse(bit())), // BCLR
            (0x34, 1) => left.with(Operation::Xor, bit()),               // BINV
            (0x24, 5) => left
                .with(Operation::ShiftRight, amount())
                .with(Operation::And, Expression::Constant(1)), // BEXT
            (0x30, 1) => left
                .clone()
                .with(Operation::ShiftLeft, amount())
                .with(Operation::Or, left.with(Operation::ShiftRight, opposite())), // ROL
            (0x30, 5) => left
                .clone()
                .with(Operation::ShiftRight, amount())
                .with(Operation::Or, left.with(Operation::ShiftLeft, opposite())), // ROR
            _ => return None,
        })
    }

    fn manipulated_words(&self) -> Option<Expression> {
        let (word, right) = (self.word(15), self.value(20));
        let scaled = |places: u64| {
            word.clone()
                .with(Operation::ShiftLeft, Expression::Constant(places))
        };
        Some(match (self.field(25, 7), self.field(12, 3)) {
            (0x04, 0) => word.with(Operation::Add, right), // ADD.UW
            (0x10, 2) => scaled(1).with(Operation::Add, right), // SH1ADD.UW
            (0x10, 4) => scaled(2).with(Operation::Add, right),
            (0x10, 6) => scaled(3).with(Operation::Add, right),
            (0x04, 4) if self.field(20, 5) == 0 => self.part(15, 2), // ZEXT.H
            (0x04, 4) => self.packed(2).sign_extended(32),           // PACKW
            _ => return None,
        })
    }

    /// Joins the low parts of both sources.
    fn packed(&self, size_bytes: u16) -> Expression {
        let places = Expression::Constant(u64::from(size_bytes) * 8);
        let high = self.part(20, size_bytes).with(Operation::ShiftLeft, places);
        self.part(15, size_bytes).with(Operation::Or, high)
    }

    /// Returns the low bytes of a register.
    fn part(&self, place: u32, size_bytes: u16) -> Expression {
        match self.value(place) {
            Expression::Register(view) => Expression::Register(RegisterView { size_bytes, ..view }),
            value => value,
        }
    }

    fn inverse(&self, value: Expression) -> Expression {
        let ones = Expression::Constant(self.xlen.wrapped(u64::MAX));
        value.with(Operation::Xor, ones)
    }
}

/// Rotates a number of this many bits to the right.
fn rotated(value: Expression, amount: u32, bits: u32) -> Expression {
    if amount == 0 {
        return value;
    }
    let low = Expression::Constant(amount.into());
    let high = Expression::Constant((bits - amount.min(bits)).into());
    value
        .clone()
        .with(Operation::ShiftRight, low)
        .with(Operation::Or, value.with(Operation::ShiftLeft, high))
}
