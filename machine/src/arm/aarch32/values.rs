//! Values that A32 and T32 arithmetic writes to registers, and the condition flags that
//! instructions read and write. A flag may keep its value, as after a shift by a register that is
//! zero, so it is then an input too.

use capstone::arch::arm::{ArmCC, ArmOperand, ArmOperandType, ArmShift};

use crate::arm::aarch32::instruction::{Aarch32Describer, FLAGS, MnemonicSuffixes, amount_of};
use crate::arm::flags::{C, GE, N, NZCV, Q, V, Z};
use crate::expression::{Expression, Operation};
use crate::set::InstructionSet;

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

impl Aarch32Describer<'_> {
    /// Describes the reads and writes of the status register.
    pub fn flags(&mut self, suffixes: MnemonicSuffixes, condition: ArmCC) {
        // The condition of an `it` is the one of the following instruction.
        let is_decided = suffixes.is_conditional || self.name.starts_with("it");
        let decides = if is_decided {
            of_condition(condition)
        } else {
            0
        };
        let read = decides | self.taken_in();
        let written = if suffixes.updates_flags {
            self.set_by_result()
        } else {
            self.set_besides()
        };
        let kept = written & self.may_stay(suffixes);
        if suffixes.is_conditional || read | kept != 0 {
            self.description.read(FLAGS);
            self.description.meaning.flags.read = Some(read);
            self.description.meaning.flags.kept = kept;
        }
        if written != 0 {
            self.description.write(FLAGS);
            self.description.meaning.flags.written = Some(written);
        }
    }

    /// Returns the flags that flow into the result.
    fn taken_in(&self) -> u64 {
        let turns_through_carry = self.name == "rrx"
            || self
                .operands
                .iter()
                .any(|operand| matches!(operand.shift, ArmShift::Rrx(_)));
        match self.name {
            "adc" | "sbc" | "rsc" => C,
            _ if turns_through_carry => C,
            "sel" => GE,
            "mrs" => NZCV | Q | GE,
            name if name.starts_with("vsel") => of_selection(name),
            _ => 0,
        }
    }

    /// Returns the flags that may keep their values. A shift by a register whose low byte is zero
    /// keeps the carry (DDI 0487, E1.2.2, `Shift_C`). Q is cumulative: saturating instructions set
    /// it, and none of them clears it (DDI 0487, E1.3).
    fn may_stay(&self, suffixes: MnemonicSuffixes) -> u64 {
        match self.name {
            "msr" => 0,
            _ if suffixes.updates_flags && self.is_shifted_by_register() => C,
            _ => Q,
        }
    }

    /// Returns the flags that forms with S set. Only sums set V; logical operations set C if their
    /// operand is shifted.
    fn set_by_result(&self) -> u64 {
        match self.name {
            "add" | "sub" | "adc" | "sbc" | "rsb" | "rsc" | "neg" | "cmp" | "cmn" => NZCV,
            "lsl" | "lsr" | "asr" | "ror" | "rrx" => N | Z | C,
            "mov" | "mvn" | "and" | "orr" | "eor" | "bic" | "orn" | "tst" | "teq" => {
                N | Z | if self.has_carry_out() { C } else { 0 }
            }
            "mul" | "mla" | "smull" | "umull" | "smlal" | "umlal" => N | Z,
            _ => NZCV,
        }
    }

    /// Returns the flags that forms without S set.
    fn set_besides(&self) -> u64 {
        let parallel = [
            "sadd", "uadd", "ssub", "usub", "sasx", "uasx", "ssax", "usax",
        ];
        match self.name {
            "cmp" | "cmn" => NZCV,
            "tst" | "teq" => self.set_by_result(),
            "msr" => NZCV | Q | GE,
            "vmrs" if self.operands.len() < 2 || self.instruction.operands.contains("apsr") => NZCV,
            name if parallel.iter().any(|prefix| name.starts_with(prefix)) => GE,
            // Of the saturating instructions, those that work per lane do not set Q (DDI 0487,
            // F5.1, QADD16 and the like).
            "qadd" | "qsub" | "qdadd" | "qdsub" => Q,
            name if name.starts_with("ssat") || name.starts_with("usat") => Q,
            name if name.starts_with("smlal") => 0,
            name if name.starts_with("smla")
                || name.starts_with("smlsd")
                || name.starts_with("smuad") =>
            {
                Q
            }
            _ => 0,
        }
    }

    fn is_shifted_by_register(&self) -> bool {
        let is_shift = matches!(self.name, "lsl" | "lsr" | "asr" | "ror");
        // A last register that itself has a shift is the value being shifted by a constant.
        let is_amount = |operand: &ArmOperand| {
            matches!(operand.op_type, ArmOperandType::Reg(_)) && operand.shift == ArmShift::Invalid
        };
        let by_operand =
            is_shift && self.operands.len() > 1 && self.operands.last().is_some_and(is_amount);
        by_operand
            || self
                .operands
                .iter()
                .any(|operand| amount_of(operand.shift).is_some())
    }

    /// Returns true if the second operand produces a carry: shifts do, and rotated constants (DDI
    /// 0487, F2.3.2, F2.3.3).
    fn has_carry_out(&self) -> bool {
        let is_shifted = self
            .operands
            .iter()
            .any(|operand| operand.shift != ArmShift::Invalid);
        let is_constant = self
            .operands
            .iter()
            .any(|operand| matches!(operand.op_type, ArmOperandType::Imm(_)));
        let bytes = self.instruction.site.encoding.bytes();
        let is_turned = match (self.set, bytes) {
            (InstructionSet::T32, [_, high, _, low]) => high & 4 != 0 || low & 0x40 != 0,
            (InstructionSet::T32, _) => false,
            (_, [_, low, _, _]) => low & 0xf != 0,
            _ => false,
        };
        is_shifted || is_constant && is_turned
    }
}

/// Returns the flags that VSEL tests; its condition is a part of the name.
fn of_selection(name: &str) -> u64 {
    match name {
        "vseleq" => Z,
        "vselvs" => V,
        "vselge" => N | V,
        _ => N | Z | V,
    }
}

/// Returns the flags that a condition tests.
fn of_condition(condition: ArmCC) -> u64 {
    match condition {
        ArmCC::ARM_CC_EQ | ArmCC::ARM_CC_NE => Z,
        ArmCC::ARM_CC_HS | ArmCC::ARM_CC_LO => C,
        ArmCC::ARM_CC_MI | ArmCC::ARM_CC_PL => N,
        ArmCC::ARM_CC_VS | ArmCC::ARM_CC_VC => V,
        ArmCC::ARM_CC_HI | ArmCC::ARM_CC_LS => C | Z,
        ArmCC::ARM_CC_GE | ArmCC::ARM_CC_LT => N | V,
        ArmCC::ARM_CC_GT | ArmCC::ARM_CC_LE => N | Z | V,
        _ => 0,
    }
}
