//! General register arithmetic, and control transfers with operands.

use crate::expression::{Expression, Operation};
use crate::sparc::meaning::whole::{SparcDescriber, value};
use crate::sparc::registers::{CONDITIONS, float_codes, named};
use crate::sparc::status::{CARRY, ConditionCodeSet, SIGN, of_condition};
use crate::sparc::windows::{after_restore, after_save};
use crate::view::{RegisterId, RegisterView};

const ALL: Expression = Expression::Constant(u64::MAX);

impl SparcDescriber {
    pub fn computation(&mut self) -> bool {
        let kind = self.word.kind();
        match kind {
            0x25..=0x27 => self.shift(),
            0x2c => return self.conditional_move(),
            0x2d | 0x2e => {
                self.read_sources();
                self.set(Expression::Unknown); // SDIVX, POPC
            }
            0x2f => self.register_move(),
            0x24 => self.multiply_step(),
            _ => self.operation(),
        }
        true
    }

    fn operation(&mut self) {
        let kind = self.word.kind();
        let (first, second) = (value(self.word.first()), self.second());
        let is_tagged = kind >= 0x20;
        let result = match if is_tagged {
            4 * (kind & 1)
        } else {
            kind & 0xf
        } {
            0x0 => first.with(Operation::Add, second),
            0x1 => first.with(Operation::And, second),
            0x2 => first.with(Operation::Or, second),
            0x3 => first.with(Operation::Xor, second),
            0x4 => first.with(Operation::Subtract, second),
            0x5 => first.with(Operation::And, second.with(Operation::Xor, ALL)),
            0x6 => first.with(Operation::Or, second.with(Operation::Xor, ALL)),
            0x7 => first.with(Operation::Xor, second).with(Operation::Xor, ALL),
            0x9 => first.with(Operation::Multiply, second),
            0xa => self.product(first.zero_extended(32), second.zero_extended(32)),
            0xb => self.product(first.sign_extended(32), second.sign_extended(32)),
            _ => Expression::Unknown,
        };
        self.read_sources();
        if matches!(kind & 0x2f, 0x08 | 0x0c) {
            self.description.read(CONDITIONS); // with carry
            self.description.meaning.flags.read = Some(CARRY);
        }
        if matches!(kind & 0x2f, 0x0e | 0x0f) {
            self.description
                .read_all(&named("y").map_or(Expression::Unknown, Expression::Register)); // UDIV, SDIV
        }
        self.set(result);
        if kind >= 0x10 {
            self.description.write(CONDITIONS);
        }
    }

    /// Also writes the upper half to `%y`.
    fn product(&mut self, first: Expression, second: Expression) -> Expression {
        let product = first.with(Operation::Multiply, second);
        if let Some(y) = named("y") {
            self.description.set(
                y,
                product
                    .clone()
                    .with(Operation::ShiftRight, Expression::Constant(32)),
            );
        }
        product
    }

    fn multiply_step(&mut self) {
        self.read_sources();
        self.description.read(CONDITIONS);
        self.description.meaning.flags.read = Some(SIGN);
        named("y")
            .into_iter()
            .for_each(|y| self.description.read(y));
        self.set(Expression::Unknown);
        self.write_named(&["y"]);
        self.description.write(CONDITIONS);
    }

    fn shift(&mut self) {
        let is_wide = self.word.flag(12);
        let mask = if is_wide { 63 } else { 31 };
        let places = if self.word.has_number() {
            Expression::Constant(u64::from(self.word.field(0, 6)) & mask)
        } else {
            self.second()
                .with(Operation::And, Expression::Constant(mask))
        };
        let source = value(self.word.first());
        let (operation, source) = match (self.word.kind(), is_wide) {
            (0x25, _) => (Operation::ShiftLeft, source),
            (0x26, true) => (Operation::ShiftRight, source),
            (0x26, false) => (Operation::ShiftRight, source.zero_extended(32)),
            (_, true) => (Operation::ShiftRightSigned, source),
            (_, false) => (Operation::ShiftRightSigned, source.sign_extended(32)),
        };
        self.set(source.with(operation, places));
    }

    fn conditional_move(&mut self) -> bool {
        let source = if self.word.has_number() {
            Expression::Constant(self.word.signed(0, 11).cast_unsigned())
        } else {
            value(self.word.second())
        };
        match self.word.field(14, 4) {
            0 => {}
            8 => self.set(source),
            _ => {
                self.description.read(if self.word.flag(18) {
                    CONDITIONS
                } else {
                    float_codes(self.word.field(11, 2))
                });
                let looked_at = of_condition(
                    self.word.field(14, 4),
                    ConditionCodeSet::of(self.word.field(12, 1)),
                );
                self.description.meaning.flags.read =
                    Some(looked_at).filter(|_| self.word.flag(18));
                self.choose(&source);
            }
        }
        true
    }

    fn register_move(&mut self) {
        self.description.read_all(&value(self.word.first()));
        let source = if self.word.has_number() {
            Expression::Constant(0)
        } else {
            value(self.word.second())
        };
        self.choose(&source);
    }

    /// Describes a destination that either gets the source or keeps its value.
    fn choose(&mut self, source: &Expression) {
        self.description.read_all(source);
        self.description.read_all(&value(self.word.destination()));
        self.set(Expression::Unknown);
    }

    /// Describes jumps, traps, and window changes.
    pub fn control(&mut self) -> bool {
        if self.word.kind() != 0x3e {
            self.read_sources();
        }
        let sum = value(self.word.first()).with(Operation::Add, self.second());
        let destination = self.word.destination();
        if matches!(self.word.kind(), 0x38 | 0x39) {
            self.description.meaning.target = sum.clone();
        }
        match self.word.kind() {
            0x38 => return self.link(destination),
            0x39 => self.change_window(-1),
            0x3a => self.trap(),
            0x3b => {} // FLUSH
            0x3c => {
                self.set_elsewhere(destination, after_save(destination), sum);
                self.change_window(1);
            }
            0x3d => {
                self.set_elsewhere(destination, after_restore(destination), sum);
                self.change_window(-1);
            }
            _ => self.write_named(&["ccr", "asi", "cwp", "pstate", "tl", "gl", "hpstate"]), // DONE, RETRY
        }
        true
    }

    /// Writes a register as named in the window that is current after the instruction.
    fn set_elsewhere(&mut self, number: u16, register: RegisterId, value: Expression) {
        if number > 0 {
            self.description
                .set(RegisterView::new(register, 0, 8), value);
        }
    }

    /// Describes the window change. The instruction does not contain the number of windows, so the
    /// new window is unknown.
    fn change_window(&mut self, further: i64) {
        named("cwp")
            .into_iter()
            .for_each(|view| self.description.read(view));
        self.write_named(&["cwp"]);
        for (name, change) in [("cansave", -further), ("canrestore", further)] {
            if let Some(view) = named(name) {
                self.description
                    .set(view, Expression::Register(view).plus(change));
            }
        }
    }

    /// Describes a trap: kernels return a result and report failure in the condition codes.
    fn trap(&mut self) {
        if !matches!(self.word.field(25, 4), 0 | 8) {
            self.description.read(CONDITIONS);
            let codes = ConditionCodeSet::of(self.word.field(12, 1));
            self.description.meaning.flags.read = Some(of_condition(self.word.field(25, 4), codes));
        }
        if self.word.field(25, 4) != 0 {
            (8..10).for_each(|number| self.set_general(number, Expression::Unknown));
            self.description.write(CONDITIONS);
        }
    }
}
