//! Expressions for the values that an instruction computes, in terms of the state before it.

use crate::view::RegisterView;

/// A value. Narrow values are zero-extended.
///
/// ```
/// use stepback_machine::semantics::Expression;
/// use stepback_machine::{InstructionSet, Registers};
/// let ecx = Expression::register(Registers::view("ecx", InstructionSet::X86_64).unwrap());
/// let sum = ecx.plus(-1).zero_extended(32);
/// assert_eq!(sum.value(&|_| Some(0), &|_| None), Some(0xffff_ffff));
/// assert_eq!(sum.value(&|_| None, &|_| None), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Expression {
    /// Not modelled.
    #[default]
    Unknown,
    /// A constant.
    Constant(u64),
    /// The previous value of a register. May be wider than 8 bytes if it is only copied.
    Register(RegisterView),
    /// The value loaded by the memory operand with this index, in that operand's width.
    Loaded(usize),
    /// An operation on two values of at most 8 bytes, modulo 2^64.
    Binary(Operation, Box<Expression>, Box<Expression>),
    /// The low `bits` bits (1 to 64) of a value, extended to 64.
    Extended {
        /// The value to extend.
        value: Box<Expression>,
        /// Number of low bits to keep.
        bits: u8,
        /// True for sign extension, false for zero extension.
        is_signed: bool,
    },
}

/// An operation on two 64-bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << b`; 0 when b is 64 or more.
    ShiftLeft,
    /// `a >> b` with zeros; 0 when b is 64 or more.
    ShiftRight,
    /// `a >> b` with the sign; b of 64 or more counts as 63.
    ShiftRightSigned,
}

impl Expression {
    /// Creates the expression for the previous value of a register.
    pub const fn register(view: RegisterView) -> Self {
        Self::Register(view)
    }

    /// Combines this and another value, folding constants.
    #[must_use]
    pub fn with(self, operation: Operation, other: Self) -> Self {
        match (&self, &other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Constant(left), Self::Constant(right)) => {
                Self::Constant(operation.apply(*left, *right))
            }
            (Self::Constant(0), _)
                if matches!(operation, Operation::Add | Operation::Or | Operation::Xor) =>
            {
                other
            }
            (_, Self::Constant(0))
                if operation == Operation::And || operation == Operation::Multiply =>
            {
                other
            }
            (_, Self::Constant(0)) => self,
            _ => Self::Binary(operation, Box::new(self), Box::new(other)),
        }
    }

    /// Adds a constant.
    #[must_use]
    pub fn plus(self, number: i64) -> Self {
        if number == 0 {
            self
        } else {
            self.with(Operation::Add, Self::Constant(number.cast_unsigned()))
        }
    }

    /// Keeps the low bits and zero-extends them.
    #[must_use]
    pub fn zero_extended(self, bits: u8) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(zero_extend(value, bits)),
            // A register of at most this width is already zero-extended.
            Self::Register(view) if view.size_bytes * 8 <= u16::from(bits) => Self::Register(view),
            value if value == Self::Unknown || bits >= 64 => value,
            value => Self::Extended {
                value: Box::new(value),
                bits,
                is_signed: false,
            },
        }
    }

    /// Keeps the low bits and sign-extends them.
    #[must_use]
    pub fn sign_extended(self, bits: u8) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(sign_extend(value, bits)),
            value if value == Self::Unknown || bits >= 64 => value,
            value => Self::Extended {
                value: Box::new(value),
                bits,
                is_signed: true,
            },
        }
    }

    /// Evaluates the expression from register and operand values (zero-extended). None if it is not
    /// known or wider than 8 bytes.
    pub fn value(
        &self,
        register: &impl Fn(RegisterView) -> Option<u64>,
        loaded: &impl Fn(usize) -> Option<u64>,
    ) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Constant(value) => Some(*value),
            Self::Register(view) => register(*view),
            Self::Loaded(operand) => loaded(*operand),
            Self::Binary(operation, left, right) => Some(operation.apply(
                left.value(register, loaded)?,
                right.value(register, loaded)?,
            )),
            Self::Extended {
                value,
                bits,
                is_signed,
            } => {
                let value = value.value(register, loaded)?;
                Some(if *is_signed {
                    sign_extend(value, *bits)
                } else {
                    zero_extend(value, *bits)
                })
            }
        }
    }
}

impl Operation {
    /// Computes the result of the operation.
    pub fn apply(self, left: u64, right: u64) -> u64 {
        let places = u32::try_from(right).unwrap_or(u32::MAX);
        match self {
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::And => left & right,
            Self::Or => left | right,
            Self::Xor => left ^ right,
            Self::ShiftLeft => left.checked_shl(places).unwrap_or(0),
            Self::ShiftRight => left.checked_shr(places).unwrap_or(0),
            Self::ShiftRightSigned => (left.cast_signed() >> places.min(63)).cast_unsigned(),
        }
    }
}

fn zero_extend(value: u64, bits: u8) -> u64 {
    let unused = unused_bits(bits);
    value << unused >> unused
}

fn sign_extend(value: u64, bits: u8) -> u64 {
    let unused = unused_bits(bits);
    ((value << unused).cast_signed() >> unused).cast_unsigned()
}

fn unused_bits(bits: u8) -> u32 {
    64u32.saturating_sub(u32::from(bits)).min(63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_and_extended() {
        assert_eq!(
            Expression::Constant(0x1_8000_0001).sign_extended(32),
            Expression::Constant(0xffff_ffff_8000_0001)
        );
        assert_eq!(
            Expression::Constant(0x1ff).zero_extended(8),
            Expression::Constant(0xff)
        );
        assert_eq!(
            Expression::Constant(7).zero_extended(64),
            Expression::Constant(7)
        );
    }

    #[test]
    fn what_is_unknown_stays_so() {
        assert_eq!(Expression::Unknown.plus(4), Expression::Unknown);
        assert_eq!(
            Expression::Constant(0).with(Operation::And, Expression::Unknown),
            Expression::Unknown
        );
    }

    #[test]
    fn shifts_by_too_much_are_defined() {
        assert_eq!(Operation::ShiftLeft.apply(1, 64), 0);
        assert_eq!(
            Operation::ShiftRightSigned.apply(u64::MAX, 1 << 40),
            u64::MAX
        );
    }
}
