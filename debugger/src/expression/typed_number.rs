//! Numbers of expressions with their types, and C's rules for them ([`TypedNumber`]).
//!
//! Registers, addresses and memory are words: 64 bits without a sign. Among words and the numbers in
//! the text, sums, differences and products are exact, so that [`TypedNumber::value`] shows whether
//! they fall below zero. Once a variable takes part, the usual arithmetic conversions of C apply
//! (C11, 6.3.1.8).

use super::error::ExpressionErrorKind as Kind;
use super::operators::{Binary, Unary};
use crate::image::Signedness;

/// Type of an integer of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerType {
    /// Number of bits: 1 to 64.
    pub bits: u32,
    pub signedness: Signedness,
}

/// Type of a number in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberType {
    /// A register, an address or memory.
    Word,
    /// A number in the text. It has this type where a variable takes part.
    Literal(IntegerType),
    /// An integer of a variable, or the result of an operation with one.
    Integer(IntegerType),
    /// A pointer to values of this size; none if their size is unknown.
    Pointer { target_bytes: Option<u64> },
}

/// A number with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedNumber {
    /// The number. The lowest 64 bits of that of a word are the result.
    pub value: i128,
    pub of_type: NumberType,
}

/// `int` of all supported processors.
const INT: IntegerType = IntegerType {
    bits: 32,
    signedness: Signedness::Signed,
};

const LONG: IntegerType = IntegerType { bits: 64, ..INT };

const UNSIGNED_INT: IntegerType = IntegerType {
    signedness: Signedness::Unsigned,
    ..INT
};

const UNSIGNED_LONG: IntegerType = IntegerType {
    bits: 64,
    ..UNSIGNED_INT
};

impl IntegerType {
    /// Returns the type after the integer promotions (C11, 6.3.1.1).
    fn promoted(self) -> Self {
        match self.bits < INT.bits {
            true => INT,
            false => self,
        }
    }

    /// Returns the common type of two operands.
    fn common(self, other: Self) -> Self {
        let (one, other) = (self.promoted(), other.promoted());
        match one.bits.cmp(&other.bits) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Greater => one,
            std::cmp::Ordering::Equal if one.signedness == Signedness::Unsigned => one,
            std::cmp::Ordering::Equal => other,
        }
    }

    /// Converts a number to the type: its lowest bits, with their sign.
    fn wrap(self, value: i128) -> i128 {
        let unused = 128 - self.bits.clamp(1, 128);
        match self.signedness {
            Signedness::Signed => value << unused >> unused,
            Signedness::Unsigned => (value.cast_unsigned() << unused >> unused).cast_signed(),
        }
    }

    /// Returns the type of a number in decimal digits, or of a result (C11, 6.4.4.1).
    fn of_decimal(value: i128) -> Self {
        let types = [INT, LONG];
        let fitting = types
            .into_iter()
            .find(|of_type| of_type.wrap(value) == value);
        fitting.unwrap_or(UNSIGNED_LONG)
    }

    /// Returns the type of a number in other digits.
    fn of_digits(value: i128) -> Self {
        let types = [INT, UNSIGNED_INT, LONG];
        let fitting = types
            .into_iter()
            .find(|of_type| of_type.wrap(value) == value);
        fitting.unwrap_or(UNSIGNED_LONG)
    }
}

impl TypedNumber {
    /// A register, an address or memory.
    pub fn word(value: u64) -> Self {
        Self {
            value: value.into(),
            of_type: NumberType::Word,
        }
    }

    /// A number in decimal digits, or a result of such numbers.
    pub fn decimal(value: impl Into<i128>) -> Self {
        let value = value.into();
        Self {
            value,
            of_type: NumberType::Literal(IntegerType::of_decimal(value)),
        }
    }

    /// A number in hexadecimal, octal or binary digits.
    pub fn digits(value: u64) -> Self {
        let value = value.into();
        Self {
            value,
            of_type: NumberType::Literal(IntegerType::of_digits(value)),
        }
    }

    /// A number in C syntax with its value: `16`, `0x10`, `3u`.
    pub fn in_c(text: &str, value: u64) -> Self {
        let number = match text.starts_with('0') {
            true => Self::digits(value),
            false => Self::decimal(value),
        };
        let is_unsigned = text.contains(['u', 'U']);
        match number.of_type {
            NumberType::Literal(of_type) if is_unsigned => Self {
                of_type: NumberType::Literal(IntegerType {
                    signedness: Signedness::Unsigned,
                    ..of_type
                }),
                ..number
            },
            _ => number,
        }
    }

    /// An integer of a variable, from its lowest bits.
    pub fn integer(bits: u64, of_type: IntegerType) -> Self {
        Self {
            value: of_type.wrap(bits.into()),
            of_type: NumberType::Integer(of_type),
        }
    }

    /// A number of type `long`.
    pub fn long(value: i64) -> Self {
        Self {
            value: value.into(),
            of_type: NumberType::Integer(LONG),
        }
    }

    /// The size of a variable.
    pub fn size(size_bytes: u64) -> Self {
        Self::integer(size_bytes, UNSIGNED_LONG)
    }

    /// An enumerator.
    pub fn enumerator(value: i128) -> Self {
        let of_type = IntegerType::of_digits(value);
        Self {
            value: of_type.wrap(value),
            of_type: NumberType::Integer(of_type),
        }
    }

    /// An address of values of a size.
    pub fn pointer(address: u64, target_bytes: Option<u64>) -> Self {
        Self {
            value: address.into(),
            of_type: NumberType::Pointer { target_bytes },
        }
    }

    /// Returns the lowest 64 bits.
    pub fn bits(self) -> u64 {
        u64::try_from(UNSIGNED_LONG.wrap(self.value)).unwrap_or(u64::MAX)
    }

    /// Returns the number as its type has it: with its sign, or wrapped at 2^64.
    pub fn shown(self) -> i128 {
        match self.of_type {
            NumberType::Integer(_) => self.value,
            _ => self.bits().into(),
        }
    }

    /// Returns the number as C writes its bits in hexadecimal.
    pub fn shown_bits(self) -> u64 {
        match self.of_type {
            NumberType::Integer(of_type) => {
                let unsigned = IntegerType {
                    signedness: Signedness::Unsigned,
                    ..of_type
                };
                u64::try_from(unsigned.wrap(self.value)).unwrap_or(u64::MAX)
            }
            _ => self.bits(),
        }
    }

    pub fn is_true(self) -> bool {
        self.bits() != 0
    }

    /// Returns the type of C; none if no variable takes part.
    fn typed(self) -> Option<IntegerType> {
        match self.of_type {
            NumberType::Word | NumberType::Literal(_) => None,
            NumberType::Integer(_) | NumberType::Pointer { .. } => Some(self.c_type()),
        }
    }

    /// Returns the type with which the number takes part in an operation with a variable.
    fn c_type(self) -> IntegerType {
        match self.of_type {
            NumberType::Word | NumberType::Pointer { .. } => UNSIGNED_LONG,
            NumberType::Literal(of_type) | NumberType::Integer(of_type) => of_type,
        }
    }

    /// Applies an operator with one operand.
    pub fn unary(self, operator: Unary) -> Self {
        let result = |value: i128| match self.typed() {
            Some(of_type) => {
                let of_type = of_type.promoted();
                Self {
                    value: of_type.wrap(value),
                    of_type: NumberType::Integer(of_type),
                }
            }
            None => self.plain(self, value),
        };
        match operator {
            Unary::Minus => result(self.value.wrapping_neg()),
            Unary::Complement if self.typed().is_some() => result(!self.value),
            Unary::Complement => self.plain(self, (!self.bits()).into()),
            Unary::Not => Self::from(!self.is_true()),
            Unary::Truth => Self::from(self.is_true()),
        }
    }

    /// Applies an operator with two operands.
    ///
    /// # Errors
    /// A division by 0, or the size of the target of a pointer is unknown.
    pub fn binary(self, operator: Binary, right: Self) -> Result<Self, Kind> {
        if let Some(result) = self.pointer_sum(operator, right)? {
            return Ok(result);
        }
        match self.typed().or(right.typed()) {
            Some(_) => self.in_c_rules(operator, right),
            None => self.in_words(operator, right),
        }
    }

    /// Returns a sum or a difference of a pointer, which counts elements (C11, 6.5.6); none for
    /// other operations.
    fn pointer_sum(self, operator: Binary, right: Self) -> Result<Option<Self>, Kind> {
        use NumberType::Pointer;
        let moved = |pointer: Self, count: i128| match pointer.of_type {
            Pointer { target_bytes } => {
                let size = target_bytes.ok_or(Kind::TargetSizeUnknown)?;
                let bytes = count.wrapping_mul(size.into());
                let address = UNSIGNED_LONG.wrap(pointer.value.wrapping_add(bytes));
                Ok(Some(Self {
                    value: address,
                    ..pointer
                }))
            }
            _ => Ok(None),
        };
        match (operator, self.of_type, right.of_type) {
            (
                Binary::Subtract,
                Pointer { target_bytes },
                Pointer {
                    target_bytes: other,
                },
            ) if target_bytes == other => {
                let size = target_bytes.ok_or(Kind::TargetSizeUnknown)?;
                let bytes = LONG.wrap(self.value.wrapping_sub(right.value));
                let count = bytes.checked_div(size.into());
                Ok(Some(Self {
                    value: count.ok_or(Kind::DivisionByZero)?,
                    of_type: NumberType::Integer(LONG),
                }))
            }
            (Binary::Add | Binary::Subtract, Pointer { .. }, Pointer { .. }) => Ok(None),
            (Binary::Add, Pointer { .. }, _) => moved(self, right.value),
            (Binary::Subtract, Pointer { .. }, _) => moved(self, right.value.wrapping_neg()),
            (Binary::Add, _, Pointer { .. }) => moved(right, self.value),
            _ => Ok(None),
        }
    }

    /// Applies an operator to operands of which one is a variable.
    fn in_c_rules(self, operator: Binary, right: Self) -> Result<Self, Kind> {
        let of_type = match operator {
            Binary::ShiftLeft | Binary::ShiftRight => self.c_type().promoted(),
            _ => self.c_type().common(right.c_type()),
        };
        let (left, other) = (of_type.wrap(self.value), of_type.wrap(right.value));
        // C leaves negative and wide shifts undefined. As in gdb, no bit of the number remains.
        let distance = u32::try_from(right.value).ok();
        let value = match operator {
            Binary::Equal => return Ok(Self::from(left == other)),
            Binary::NotEqual => return Ok(Self::from(left != other)),
            Binary::Less => return Ok(Self::from(left < other)),
            Binary::LessOrEqual => return Ok(Self::from(left <= other)),
            Binary::Greater => return Ok(Self::from(left > other)),
            Binary::GreaterOrEqual => return Ok(Self::from(left >= other)),
            Binary::Or => left | other,
            Binary::Xor => left ^ other,
            Binary::And => left & other,
            Binary::ShiftLeft => distance.map_or(0, |bits| left.checked_shl(bits).unwrap_or(0)),
            Binary::ShiftRight => distance.map_or(0, |bits| left >> bits.min(of_type.bits)),
            Binary::Add => left.wrapping_add(other),
            Binary::Subtract => left.wrapping_sub(other),
            Binary::Multiply => left.wrapping_mul(other),
            Binary::Divide => left.checked_div(other).ok_or(Kind::DivisionByZero)?,
            Binary::Remainder => left.checked_rem(other).ok_or(Kind::DivisionByZero)?,
        };
        Ok(Self {
            value: of_type.wrap(value),
            of_type: NumberType::Integer(of_type),
        })
    }

    /// Applies an operator to words and numbers of the text.
    fn in_words(self, operator: Binary, right: Self) -> Result<Self, Kind> {
        let (left, other) = (self.bits(), right.bits());
        let distance = u32::try_from(other).unwrap_or(u32::MAX);
        let value = match operator {
            Binary::Equal => return Ok(Self::from(left == other)),
            Binary::NotEqual => return Ok(Self::from(left != other)),
            Binary::Less => return Ok(Self::from(left < other)),
            Binary::LessOrEqual => return Ok(Self::from(left <= other)),
            Binary::Greater => return Ok(Self::from(left > other)),
            Binary::GreaterOrEqual => return Ok(Self::from(left >= other)),
            Binary::Add => return Ok(self.plain(right, self.value.wrapping_add(right.value))),
            Binary::Subtract => return Ok(self.plain(right, self.value.wrapping_sub(right.value))),
            Binary::Multiply => return Ok(self.plain(right, self.value.wrapping_mul(right.value))),
            Binary::Or => left | other,
            Binary::Xor => left ^ other,
            Binary::And => left & other,
            Binary::ShiftLeft => left.checked_shl(distance).unwrap_or(0),
            Binary::ShiftRight => left.checked_shr(distance).unwrap_or(0),
            Binary::Divide => left.checked_div(other).ok_or(Kind::DivisionByZero)?,
            Binary::Remainder => left.checked_rem(other).ok_or(Kind::DivisionByZero)?,
        };
        Ok(self.plain(right, value.into()))
    }

    /// Returns a result of operands of which none is a variable.
    fn plain(self, other: Self, value: i128) -> Self {
        match (self.of_type, other.of_type) {
            (NumberType::Literal(_), NumberType::Literal(_)) => Self::decimal(value),
            _ => Self {
                value,
                of_type: NumberType::Word,
            },
        }
    }
}

impl From<bool> for TypedNumber {
    fn from(is_true: bool) -> Self {
        Self::decimal(is_true)
    }
}
