//! Values that arithmetic writes to registers.

use capstone::arch::arm::{ArmOperandType, ArmShift};

use crate::arm::aarch32::instruction::Aarch32Describer;
use crate::expression::{Expression, Operation};

impl Aarch32Describer<'_> {
    /// Fills in the values that can be modelled.
    pub fn values(&mut self) {
        match self.name {
            "mov" | "movw" => self.set(0, self.value(1)),
            "mvn" => self.set(
                0,
                self.value(1)
                    .with(Operation::Xor, Expression::Constant(u64::MAX)),
            ),
            "movt" => self.move_top(),
            "add" | "addw" => self.binary(Operation::Add),
            "sub" | "subw" => self.binary(Operation::Subtract),
            "rsb" | "neg" => self.reversed(),
            "and" => self.binary(Operation::And),
            "orr" => self.binary(Operation::Or),
            "eor" => self.binary(Operation::Xor),
            "bic" => self.inverted(Operation::And),
            "orn" => self.inverted(Operation::Or),
            "lsl" => self.shift(Operation::ShiftLeft),
            "lsr" => self.shift(Operation::ShiftRight),
            "asr" => self.shift(Operation::ShiftRightSigned),
            "mul" => self.binary(Operation::Multiply),
            "mla" => self.multiply(Operation::Add),
            "mls" => self.multiply(Operation::Subtract),
            "uxtb" => self.set(0, self.value(1).zero_extended(8)),
            "uxth" => self.set(0, self.value(1).zero_extended(16)),
            "sxtb" => self.set(0, self.value(1).sign_extended(8)),
            "sxth" => self.set(0, self.value(1).sign_extended(16)),
            "ubfx" | "sbfx" => self.field(),
            "adr" => self.address(),
            "vmov" if self.operands.len() == 2 => self.move_float(),
            _ => {}
        }
    }

    /// Returns the indices of the source operands; with two operands, the destination is also the
    /// first source.
    fn sources(&self) -> (usize, usize) {
        if self.operands.len() == 2 {
            (0, 1)
        } else {
            (1, 2)
        }
    }

    fn binary(&mut self, operation: Operation) {
        let (left, right) = self.sources();
        self.set(0, self.value(left).with(operation, self.value(right)));
    }

    fn reversed(&mut self) {
        // NEG has no second source.
        let from = if self.operands.len() == 2 {
            Expression::Constant(0)
        } else {
            self.value(2)
        };
        self.set(0, from.with(Operation::Subtract, self.value(1)));
    }

    fn inverted(&mut self, operation: Operation) {
        let (left, right) = self.sources();
        let right = self
            .value(right)
            .with(Operation::Xor, Expression::Constant(u64::MAX));
        self.set(0, self.value(left).with(operation, right));
    }

    /// Describes a shift by a constant or by the low byte of a register.
    fn shift(&mut self, operation: Operation) {
        // In A32, this is a move of a shifted register.
        if self.operands.len() == 2
            && self
                .operands
                .get(1)
                .is_some_and(|operand| operand.shift != ArmShift::Invalid)
        {
            return self.set(0, self.value(1));
        }
        let (left, right) = self.sources();
        let amount = self.value(right).zero_extended(8);
        let value = match operation {
            Operation::ShiftRightSigned => self.value(left).sign_extended(32),
            _ => self.value(left),
        };
        self.set(0, value.with(operation, amount));
    }

    fn move_top(&mut self) {
        let low = self.value(0).zero_extended(16);
        let high = self
            .value(1)
            .with(Operation::ShiftLeft, Expression::Constant(16));
        self.set(0, low.with(Operation::Or, high));
    }

    fn multiply(&mut self, operation: Operation) {
        let product = self.value(1).with(Operation::Multiply, self.value(2));
        self.set(0, self.value(3).with(operation, product));
    }

    fn field(&mut self) {
        let number =
            |operand: usize| match self.operands.get(operand).map(|operand| &operand.op_type) {
                Some(ArmOperandType::Imm(number)) => u8::try_from(*number).ok(),
                _ => None,
            };
        let (Some(first), Some(width)) = (number(2), number(3)) else {
            return;
        };
        let value = self
            .value(1)
            .with(Operation::ShiftRight, Expression::Constant(first.into()));
        self.set(
            0,
            if self.name == "ubfx" {
                value.zero_extended(width)
            } else {
                value.sign_extended(width)
            },
        );
    }

    /// ADR. Only the narrow form is modelled: for the wide form the disassembler gives the encoded
    /// offset without its sign.
    fn address(&mut self) {
        let is_narrow = self.instruction.site.encoding.bytes().len() == 2;
        if let (true, Expression::Constant(offset)) = (is_narrow, self.value(1)) {
            self.set(
                0,
                Expression::Constant((self.program_counter() & !3).wrapping_add(offset)),
            );
        }
    }

    /// Describes a move between registers of the same width.
    fn move_float(&mut self) {
        let (Some(to), Some(from)) = (self.register(0), self.register(1)) else {
            return;
        };
        if to.size_bytes == from.size_bytes {
            self.set(0, self.value(1));
        }
    }
}
