//! Arithmetic, loads and stores of general registers.

use crate::expression::{Expression, Operation};
use crate::meaning::AccessKind;
use crate::riscv::bits::RiscvDescriber;
use crate::riscv::registers::general;

impl RiscvDescriber {
    pub fn load(&mut self) -> bool {
        let kind = self.field(12, 3);
        if kind == 7 || !self.is_wide() && matches!(kind, 3 | 6) {
            return false;
        }
        let size_bytes: u16 = 1 << (kind & 3);
        let loaded = self.access(
            AccessKind::Read,
            self.immediate_number(),
            size_bytes,
            Expression::Unknown,
        );
        let bits = u8::try_from(size_bytes * 8).unwrap_or(64);
        self.set(if kind < 4 && bits < self.xlen.bits() {
            loaded.sign_extended(bits)
        } else {
            loaded
        });
        true
    }

    pub fn store(&mut self) -> bool {
        let kind = self.field(12, 3);
        if kind > 3 || kind == 3 && !self.is_wide() {
            return false;
        }
        let bits = 8 << kind;
        let value = self.value(20).zero_extended(bits);
        self.access(AccessKind::Write, self.store_offset(), 1 << kind, value);
        true
    }

    /// Returns a register as a 64-bit signed number.
    fn signed(&self, place: u32) -> Expression {
        self.value(place).sign_extended(self.xlen.bits())
    }

    /// Describes arithmetic with an immediate.
    pub fn immediate(&mut self) -> bool {
        let number = Expression::Constant(self.immediate_number().cast_unsigned());
        let value = self.value(15);
        let shift_bits = if self.is_wide() { 6 } else { 5 };
        let amount = Expression::Constant(u64::from(self.field(20, shift_bits)));
        self.read(&[15]);
        if let Some(value) = self.manipulated() {
            self.set(value);
            return true;
        }
        let value = match (self.field(12, 3), self.field(26, 6)) {
            (0, _) => value.with(Operation::Add, number),
            (1, 0) => value.with(Operation::ShiftLeft, amount),
            (4, _) => value.with(Operation::Xor, number),
            (5, 0) => value.with(Operation::ShiftRight, amount),
            (5, 0x10) => self.signed(15).with(Operation::ShiftRightSigned, amount),
            (6, _) => value.with(Operation::Or, number),
            (7, _) => value.with(Operation::And, number),
            _ => Expression::Unknown, // comparisons and bit manipulations
        };
        self.set(value);
        true
    }

    /// Describes 32-bit arithmetic with an immediate.
    pub fn immediate_word(&mut self) -> bool {
        let number = Expression::Constant(self.immediate_number().cast_unsigned());
        let value = self.word(15);
        let amount = Expression::Constant(u64::from(self.field(20, 5)));
        self.read(&[15]);
        if let Some(value) = self.manipulated() {
            self.set(value);
            return true;
        }
        let value = match (self.field(12, 3), self.field(25, 7)) {
            (0, _) => value.with(Operation::Add, number),
            (1, 0) => value.with(Operation::ShiftLeft, amount),
            (5, 0) => value.with(Operation::ShiftRight, amount),
            (5, 0x20) => value
                .sign_extended(32)
                .with(Operation::ShiftRightSigned, amount),
            _ => Expression::Unknown,
        };
        self.set(value.sign_extended(32));
        true
    }

    /// Describes arithmetic with two registers.
    pub fn register(&mut self) -> bool {
        let (left, right) = (self.value(15), self.value(20));
        let last = u64::from(self.xlen.bits()) - 1;
        let amount = right
            .clone()
            .with(Operation::And, Expression::Constant(last));
        let scaled = |places: u64| {
            left.clone()
                .with(Operation::ShiftLeft, Expression::Constant(places))
        };
        self.read(&[15, 20]);
        if let Some(value) = self.manipulated() {
            self.set(value);
            return true;
        }
        let value = match (self.field(25, 7), self.field(12, 3)) {
            (0, 0) => left.with(Operation::Add, right),
            (0, 1) => left.with(Operation::ShiftLeft, amount),
            (0, 4) => left.with(Operation::Xor, right),
            (0, 5) => left.with(Operation::ShiftRight, amount),
            (0, 6) => left.with(Operation::Or, right),
            (0, 7) => left.with(Operation::And, right),
            (0x20, 0) => left.with(Operation::Subtract, right),
            (0x20, 5) => self.signed(15).with(Operation::ShiftRightSigned, amount),
            (1, 0) => left.with(Operation::Multiply, right),
            (0x10, 2) => scaled(1).with(Operation::Add, right), // SH1ADD
            (0x10, 4) => scaled(2).with(Operation::Add, right),
            (0x10, 6) => scaled(3).with(Operation::Add, right),
            _ => Expression::Unknown, // comparisons, divisions and bit manipulations
        };
        self.set(value);
        true
    }

    /// Describes 32-bit arithmetic with two registers.
    pub fn register_word(&mut self) -> bool {
        let (left, right) = (self.word(15), self.word(20));
        let amount = right.clone().with(Operation::And, Expression::Constant(31));
        self.read(&[15, 20]);
        if let Some(value) = self.manipulated() {
            self.set(value);
            return true;
        }
        let value = match (self.field(25, 7), self.field(12, 3)) {
            (0, 0) => left.with(Operation::Add, right),
            (0, 1) => left.with(Operation::ShiftLeft, amount),
            (0, 5) => left.with(Operation::ShiftRight, amount),
            (0x20, 0) => left.with(Operation::Subtract, right),
            (0x20, 5) => left
                .sign_extended(32)
                .with(Operation::ShiftRightSigned, amount),
            (1, 0) => left.with(Operation::Multiply, right),
            _ => {
                self.set(Expression::Unknown);
                return true;
            }
        };
        self.set(value.sign_extended(32));
        true
    }

    /// LR, SC, and atomic memory operations.
    pub fn atomic(&mut self) -> bool {
        let kind = self.field(27, 5);
        if kind == 5 {
            return self.compare_and_swap();
        }
        let size_bytes = match self.field(12, 3) {
            0 => 1,
            1 => 2,
            2 => 4,
            3 if self.is_wide() => 8,
            _ => return false,
        };
        let bits = u8::try_from(size_bytes * 8).unwrap_or(64);
        let source = self.value(20);
        if kind == 3 {
            // A trace may show a store that failed.
            self.read(&[20]);
            self.access(AccessKind::Write, 0, size_bytes, Expression::Unknown);
            self.set(Expression::Unknown); // store status
            return true;
        }
        let loaded = self.access(AccessKind::Read, 0, size_bytes, Expression::Unknown);
        self.read(&[20]);
        self.set(if bits < self.xlen.bits() {
            loaded.clone().sign_extended(bits)
        } else {
            loaded.clone()
        });
        let stored = match kind {
            2 => return true, // LR
            0 => loaded.with(Operation::Add, source),
            1 => source,
            4 => loaded.with(Operation::Xor, source),
            8 => loaded.with(Operation::Or, source),
            0xc => loaded.with(Operation::And, source),
            0x10 | 0x14 | 0x18 | 0x1c => Expression::Unknown, // minimum and maximum
            _ => return false,
        };
        self.access(AccessKind::Write, 0, size_bytes, stored.zero_extended(bits));
        true
    }

    /// AMOCAS (Zacas). A value wider than a register is in two, of which the encoding names the
    /// even one.
    fn compare_and_swap(&mut self) -> bool {
        let size_bytes = 1 << self.field(12, 3);
        self.read(&[7, 20]);
        let loaded = self.access(AccessKind::Read, 0, size_bytes, Expression::Unknown);
        self.access(AccessKind::Write, 0, size_bytes, Expression::Unknown);
        if size_bytes <= self.xlen.bytes() {
            let bits = u8::try_from(size_bytes * 8).unwrap_or(64);
            self.set(if bits < self.xlen.bits() {
                loaded.sign_extended(bits)
            } else {
                loaded
            });
            return true;
        }
        if size_bytes > 2 * self.xlen.bytes() || self.field(7, 1) == 1 || self.field(20, 1) == 1 {
            return false;
        }
        for place in [7, 20] {
            let next = u16::try_from(self.field(place, 5) + 1).unwrap_or_default();
            // The pair of register 0 is 0, without the register after it.
            if next > 1 {
                self.description.read(general(next, self.xlen));
                if place == 7 {
                    self.description.write(general(next, self.xlen));
                }
            }
        }
        self.set(Expression::Unknown);
        true
    }
}
