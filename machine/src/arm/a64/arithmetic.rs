//! Arithmetic on general registers, and moves between them and vector registers.

use crate::arm::a64::bits::{A64Describer, FLAGS, GeneralWidth, Register31, inverted, shifted};
use crate::arm::flags::{C, N, V, Z, of_condition, test_of_condition};
use crate::expression::{Expression, Operation};
use crate::meaning::ConditionalSelection;
use crate::view::{RegisterId, RegisterView};

impl A64Describer {
    /// Describes data processing with an immediate.
    pub fn immediate(&mut self) -> bool {
        match self.field(23, 3) {
            0 | 1 => self.address_of_page(),
            2 => self.add_immediate(),
            3 if self.matches(0xbfc0_c000, 0x9180_0000) => self.add_tag(),
            4 => return self.logical_immediate(),
            5 => return self.move_wide(),
            6 => return self.bitfield(),
            7 => return self.extract(),
            _ => return false,
        }
        true
    }

    /// ADR, ADRP
    fn address_of_page(&mut self) {
        let offset = self.signed(5, 19) << 2 | i64::from(self.field(29, 2));
        let (base, offset) = if self.is_wide() {
            (self.pc.0 & !0xfff, offset << 12)
        } else {
            (self.pc.0, offset)
        };
        self.set_general(
            0,
            Expression::Constant(base.wrapping_add_signed(offset)),
            Register31::Zero,
        );
    }

    /// ADD, ADDS, SUB, SUBS
    fn add_immediate(&mut self) {
        let number = u64::from(self.field(10, 12)) << if self.flag(22) { 12 } else { 0 };
        self.add(
            self.value(5, Register31::Stack),
            Expression::Constant(number),
            Register31::Stack,
        );
    }

    /// Describes a sum or difference. A form that sets the flags cannot write the stack pointer.
    fn add(&mut self, left: Expression, right: Expression, last: Register31) {
        let operation = if self.flag(30) {
            Operation::Subtract
        } else {
            Operation::Add
        };
        self.description.read_all(&left);
        self.description.read_all(&right);
        let last = if self.flag(29) {
            Register31::Zero
        } else {
            last
        };
        self.set_result(left.with(operation, right), last);
        if self.flag(29) {
            self.description.write(FLAGS);
        }
    }

    fn logical_immediate(&mut self) -> bool {
        let Some(mask) = bit_mask(self.field(22, 1), self.field(10, 6), self.field(16, 6)) else {
            return false;
        };
        let last = if self.field(29, 2) == 3 {
            Register31::Zero
        } else {
            Register31::Stack
        };
        self.logical(Expression::Constant(mask), last);
        true
    }

    /// AND, ORR, EOR, ANDS
    fn logical(&mut self, right: Expression, last: Register31) {
        let operation = match self.field(29, 2) {
            1 => Operation::Or,
            2 => Operation::Xor,
            _ => Operation::And,
        };
        let left = self.value(5, Register31::Zero);
        self.description.read_all(&left);
        self.description.read_all(&right);
        let value = match (&left, operation) {
            // The usual encoding of a move.
            (Expression::Constant(0), Operation::Or) => right,
            _ => left.with(operation, right),
        };
        self.set_result(value, last);
        if self.field(29, 2) == 3 {
            self.description.write(FLAGS);
        }
    }

    /// MOVN, MOVZ, MOVK
    fn move_wide(&mut self) -> bool {
        let shift = self.field(21, 2) * 16;
        if shift > 16 && !self.is_wide() {
            return false;
        }
        let number = u64::from(self.field(5, 16)) << shift;
        let value = match self.field(29, 2) {
            0 => Expression::Constant(!number),
            2 => Expression::Constant(number),
            3 => {
                let kept = Expression::Constant(!(0xffff << shift));
                self.value(0, Register31::Zero)
                    .with(Operation::And, kept)
                    .with(Operation::Or, Expression::Constant(number))
            }
            _ => return false,
        };
        self.set_result(value, Register31::Zero);
        true
    }

    /// SBFM, BFM, UBFM: fields that are moved down to bit 0, or up from it.
    fn bitfield(&mut self) -> bool {
        let (rotate, top) = (self.field(16, 6), self.field(10, 6));
        let width = u32::from(self.width_bits());
        if self.flag(31) != self.flag(22) || rotate >= width || top >= width {
            return false;
        }
        let (down, up, bits) = if top >= rotate {
            (rotate, 0, top - rotate + 1)
        } else {
            (0, width - rotate, top + 1)
        };
        let constant = |number: u32| Expression::Constant(u64::from(number));
        let bits = u8::try_from(bits).unwrap_or(64);
        let source = self
            .value(5, Register31::Zero)
            .with(Operation::ShiftRight, constant(down));
        let kind = self.field(29, 2);
        let field = if kind == 0 {
            source.sign_extended(bits)
        } else {
            source.zero_extended(bits)
        };
        let field = field.with(Operation::ShiftLeft, constant(up));
        let value = match kind {
            0 | 2 => field,
            1 => {
                let kept = !((u64::MAX >> (64 - bits)) << up);
                self.value(0, Register31::Zero)
                    .with(Operation::And, Expression::Constant(kept))
                    .with(Operation::Or, field)
            }
            _ => return false,
        };
        self.set_result(value, Register31::Zero);
        true
    }

    /// EXTR, ROR
    fn extract(&mut self) -> bool {
        let (amount, width_bits) = (self.field(10, 6), self.width_bits());
        let (high, low) = (
            self.value(5, Register31::Zero),
            self.value(16, Register31::Zero),
        );
        if amount >= u32::from(width_bits) || !self.matches(0x6020_0000, 0) {
            return false;
        }
        let up = Expression::Constant(u64::from(width_bits) - u64::from(amount));
        let low = shifted(low, 1, amount, width_bits);
        let value = high
            .clone()
            .with(Operation::ShiftLeft, up)
            .with(Operation::Or, low);
        self.set_result(value, Register31::Zero);
        true
    }

    /// Describes data processing with registers.
    pub fn register(&mut self) -> bool {
        match (self.flag(28), self.field(21, 4)) {
            (false, 0..=7) => return self.logical_shifted(),
            (false, _) if self.flag(21) => self.add_extended(),
            (false, _) => return self.add_shifted(),
            (true, 8..=15) => return self.multiply(),
            (true, 6) => return self.one_or_two_sources(),
            (true, 0) if self.field(10, 6) == 0 => self.add_with_carry(),
            (true, 0) => return self.set_flags(),
            (true, 2) => self.compare_conditionally(),
            (true, 4) => self.select(),
            // Unallocated.
            _ => return false,
        }
        true
    }

    fn logical_shifted(&mut self) -> bool {
        if !self.is_wide() && self.flag(15) {
            return false;
        }
        let right = shifted(
            self.value(16, Register31::Zero),
            self.field(22, 2),
            self.field(10, 6),
            self.width_bits(),
        );
        let right = if self.flag(21) {
            inverted(right)
        } else {
            right
        };
        self.logical(right, Register31::Zero);
        true
    }

    fn add_shifted(&mut self) -> bool {
        if self.field(22, 2) == 3 || !self.is_wide() && self.flag(15) {
            return false;
        }
        let right = shifted(
            self.value(16, Register31::Zero),
            self.field(22, 2),
            self.field(10, 6),
            self.width_bits(),
        );
        self.add(self.value(5, Register31::Zero), right, Register31::Zero);
        true
    }

    fn add_extended(&mut self) {
        let option = self.field(13, 3);
        let bits = 8 << (option & 3);
        let right = self.value_of_width(
            16,
            if bits == 64 {
                GeneralWidth::X
            } else {
                GeneralWidth::W
            },
            Register31::Zero,
        );
        let right = if option >= 4 {
            right.sign_extended(bits)
        } else {
            right.zero_extended(bits)
        };
        let shift = Expression::Constant(u64::from(self.field(10, 3)));
        self.add(
            self.value(5, Register31::Stack),
            right.with(Operation::ShiftLeft, shift),
            Register31::Stack,
        );
    }

    /// MADD, MSUB and the widening forms.
    fn multiply(&mut self) -> bool {
        let is_minus = self.flag(15);
        let kind = self.field(21, 3);
        if kind != 0 && !self.is_wide() {
            return false;
        }
        let factor = |bits: &Self, place| match kind {
            0 => bits.value(place, Register31::Zero),
            1 => bits
                .value_of_width(place, GeneralWidth::W, Register31::Zero)
                .sign_extended(32),
            _ => bits
                .value_of_width(place, GeneralWidth::W, Register31::Zero)
                .zero_extended(32),
        };
        let high_half = matches!(kind, 2 | 6);
        if !matches!(kind, 0 | 1 | 5) && !high_half {
            return false;
        }
        if high_half {
            self.read_general(&[5, 16], GeneralWidth::X);
            self.set_general(0, Expression::Unknown, Register31::Zero);
            return true;
        }
        let product = factor(self, 5).with(Operation::Multiply, factor(self, 16));
        let sum = match (self.value(10, Register31::Zero), is_minus) {
            (Expression::Constant(0), false) => product,
            (addend, false) => addend.with(Operation::Add, product),
            (addend, true) => addend.with(Operation::Subtract, product),
        };
        self.set_result(sum, Register31::Zero);
        true
    }

    fn one_or_two_sources(&mut self) -> bool {
        if self.flag(30) {
            // One source: RBIT, REV, CLZ, CLS. The pointer authentication forms also read the
            // destination.
            let places: &[u32] = if self.field(16, 5) == 1 {
                &[0, 5]
            } else {
                &[5]
            };
            self.read_general(places, self.width());
            self.set_result(Expression::Unknown, Register31::Zero);
            return true;
        }
        let kind = self.field(10, 6);
        let is_shift = matches!(kind, 8..=10);
        let value = if is_shift {
            self.shifted_by_register(kind - 8)
        } else {
            Expression::Unknown
        };
        self.read_general(&[5, 16], self.width());
        // The stack pointer as first source: SUBP, IRG, GMI; as second source: SUBP, PACGA.
        let is_of_stack = matches!(kind, 0 | 4 | 5) && self.field(5, 5) == 31;
        if is_of_stack || matches!(kind, 0 | 12) && self.field(16, 5) == 31 {
            self.description
                .read(RegisterView::new(RegisterId::SP, 0, 8));
        }
        self.set_result(
            value,
            if kind == 4 {
                Register31::Stack
            } else {
                Register31::Zero
            },
        );
        if self.flag(29) {
            self.description.write(FLAGS); // SUBPS
        }
        !self.flag(29) || kind == 0
    }

    /// LSLV, LSRV, ASRV
    fn shifted_by_register(&self, kind: u32) -> Expression {
        let width_bits = self.width_bits();
        let mask = Expression::Constant(u64::from(width_bits) - 1);
        let amount = self.value(16, Register31::Zero).with(Operation::And, mask);
        let value = self.value(5, Register31::Zero);
        match kind {
            0 => value.with(Operation::ShiftLeft, amount),
            1 => value.with(Operation::ShiftRight, amount),
            _ => value
                .sign_extended(width_bits)
                .with(Operation::ShiftRightSigned, amount),
        }
    }

    /// ADC, SBC
    fn add_with_carry(&mut self) {
        self.read_general(&[5, 16], self.width());
        self.description.read(FLAGS);
        self.description.meaning.flags.read = Some(C);
        self.set_result(Expression::Unknown, Register31::Zero);
        if self.flag(29) {
            self.description.write(FLAGS);
        }
    }

    /// RMIF, SETF8, SETF16: flags from bits of a register.
    fn set_flags(&mut self) -> bool {
        let (written, width) = match self.opcode {
            opcode if opcode & 0xffe0_7c10 == 0xba00_0400 => {
                (u64::from(opcode & 15) << 28, GeneralWidth::X)
            }
            opcode if opcode & 0xffff_bc1f == 0x3a00_080d => (N | Z | V, GeneralWidth::W),
            _ => return false,
        };
        self.read_general(&[5], width);
        self.description.write(FLAGS);
        self.description.meaning.flags.written = Some(written);
        true
    }

    /// CCMP, CCMN
    fn compare_conditionally(&mut self) {
        self.read_general(if self.flag(11) { &[5] } else { &[5, 16] }, self.width());
        self.description.read(FLAGS);
        let condition = self.field(12, 4);
        self.description.meaning.flags.read = Some(of_condition(condition));
        // If the condition does not hold, the flags are a constant from the encoding.
        let (chosen, otherwise) = (Expression::Unknown, Expression::Constant(0));
        self.description.meaning.selection = Some(ConditionalSelection {
            test: test_of_condition(condition),
            chosen,
            otherwise,
        });
        self.description.write(FLAGS);
    }

    /// CSEL, CSINC, CSINV, CSNEG
    fn select(&mut self) {
        self.read_general(&[5, 16], self.width());
        self.description.read(FLAGS);
        let condition = self.field(12, 4);
        self.description.meaning.flags.read = Some(of_condition(condition));
        let other = self.value(16, Register31::Zero);
        let otherwise = match (self.flag(30), self.flag(10)) {
            (false, false) => other,
            (false, true) => other.plus(1),
            (true, false) => inverted(other),
            (true, true) => Expression::Constant(0).with(Operation::Subtract, other),
        };
        let chosen = self.value(5, Register31::Zero);
        self.description.meaning.selection = Some(ConditionalSelection {
            test: test_of_condition(condition),
            chosen,
            otherwise,
        });
        self.set_result(Expression::Unknown, Register31::Zero);
    }
}

/// Decodes a logical immediate (DDI 0487, `DecodeBitMasks`): a run of ones, rotated and repeated.
fn bit_mask(n: u32, ones: u32, rotate: u32) -> Option<u64> {
    let length = (n << 6 | !ones & 0x3f)
        .checked_ilog2()
        .filter(|length| *length >= 1)?;
    let size = 1u32 << length;
    let (ones, rotate) = (ones & (size - 1), rotate & (size - 1));
    if ones == size - 1 {
        return None;
    }
    let run = (1u64 << (ones + 1)) - 1;
    let whole = u64::MAX >> (64 - size);
    let turned = if rotate == 0 {
        run
    } else {
        (run >> rotate | run << (size - rotate)) & whole
    };
    Some((0..64 / size).fold(0, |mask, copy| mask | turned << (copy * size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_runs_of_ones() {
        assert_eq!(bit_mask(1, 0, 0), Some(1));
        assert_eq!(
            bit_mask(1, 0b11_1011, 0b11_1100),
            Some(0xffff_ffff_ffff_fff0)
        );
        assert_eq!(bit_mask(0, 0b00_0111, 0), Some(0x0000_00ff_0000_00ff));
        assert_eq!(bit_mask(0, 0b11_1100, 0), Some(0x5555_5555_5555_5555));
        assert_eq!(bit_mask(0, 0b11_1111, 0), None);
        assert_eq!(bit_mask(1, 0b11_1111, 0), None);
    }
}
