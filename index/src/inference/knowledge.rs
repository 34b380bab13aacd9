//! Known bits of a number.

use stepback_machine::semantics::Operation;

/// Known bits of a 64-bit number (a known-bits abstract domain).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Knowledge {
    /// The known bits.
    mask: u64,
    /// Values of the known bits; 0 elsewhere.
    value: u64,
}

impl Knowledge {
    pub const NONE: Self = Self { mask: 0, value: 0 };

    pub const fn new(value: u64, mask: u64) -> Self {
        Self {
            mask,
            value: value & mask,
        }
    }

    pub const fn exact(value: u64) -> Self {
        Self::new(value, u64::MAX)
    }

    pub fn is_none(self) -> bool {
        self.mask == 0
    }

    /// Returns the number if all bits are known.
    pub fn number(self) -> Option<u64> {
        (self.mask == u64::MAX).then_some(self.value)
    }

    /// Returns a byte if all its bits are known; 0 is the lowest.
    pub fn byte(self, place: u16) -> Option<u8> {
        let shift = 8 * u32::from(place);
        let mask = self.mask.checked_shr(shift)? & 0xff;
        (mask == 0xff).then_some((self.value >> shift & 0xff) as u8)
    }

    pub fn agrees(self, other: Self) -> bool {
        (self.value ^ other.value) & self.mask & other.mask == 0
    }

    /// Combines the bits of both, which must agree.
    pub fn and(self, other: Self) -> Self {
        Self {
            mask: self.mask | other.mask,
            value: self.value | other.value,
        }
    }

    /// Keeps only the low bits.
    pub fn low(self, bits: u8) -> Self {
        Self::new(self.value, self.mask & ones(bits))
    }

    /// Removes the bits of a mask.
    pub fn without(self, mask: u64) -> Self {
        Self::new(self.value, self.mask & !mask)
    }

    /// Keeps the low bits, with known zeros above.
    pub fn cut(self, bits: u8) -> Self {
        Self {
            mask: self.mask | !ones(bits),
            value: self.value & ones(bits),
        }
    }

    /// Extends the low bits by their sign.
    pub fn sign_extended(self, bits: u8) -> Self {
        let unused = 64 - u32::from(bits.clamp(1, 64));
        // An unknown sign gives unknown bits, because the mask is extended in the same way.
        let extend = |number: u64| ((number << unused).cast_signed() >> unused).cast_unsigned();
        Self {
            mask: extend(self.mask),
            value: extend(self.value),
        }
    }

    /// Returns the number of low bits up to the first unknown one: a sum is known only in these.
    fn run(self) -> u8 {
        self.mask.trailing_ones() as u8
    }

    /// Returns the known bits of the result of an operation.
    pub fn apply(operation: Operation, left: Self, right: Self) -> Self {
        match operation {
            Operation::Add | Operation::Subtract | Operation::Multiply => {
                let bits = left.run().min(right.run());
                Self::new(operation.apply(left.value, right.value), ones(bits))
            }
            Operation::And => {
                let zeros = left.zeros() | right.zeros();
                Self::new(left.value & right.value, left.mask & right.mask | zeros)
            }
            Operation::Or => {
                let set = left.value | right.value;
                Self {
                    mask: left.mask & right.mask | set,
                    value: set,
                }
            }
            Operation::Xor => Self::new(left.value ^ right.value, left.mask & right.mask),
            Operation::ShiftLeft | Operation::ShiftRight | Operation::ShiftRightSigned => {
                match right.number() {
                    Some(places) => left.shifted(operation, places),
                    None => Self::NONE,
                }
            }
        }
    }

    fn shifted(self, operation: Operation, places: u64) -> Self {
        let moved = |number| operation.apply(number, places);
        let filled = match operation {
            // Bits shifted in are known zeros. For a signed shift, the sign of the mask makes them
            // known or unknown.
            Operation::ShiftRightSigned => 0,
            _ => !moved(u64::MAX),
        };
        Self {
            mask: moved(self.mask) | filled,
            value: moved(self.value),
        }
    }

    /// Infers the left operand from the result and the right operand.
    pub fn left_of(operation: Operation, result: Self, right: Self) -> Self {
        match operation {
            Operation::Add => Self::apply(Operation::Subtract, result, right),
            Operation::Subtract => Self::apply(Operation::Add, result, right),
            Operation::Xor => Self::apply(Operation::Xor, result, right),
            Operation::And => Self {
                mask: result.mask & right.value | result.value,
                value: result.value,
            },
            Operation::Or => Self::new(result.value, result.mask & right.zeros() | result.zeros()),
            Operation::ShiftLeft => {
                right
                    .number()
                    .filter(|places| *places < 64)
                    .map_or(Self::NONE, |places| Self {
                        mask: result.mask >> places,
                        value: result.value >> places,
                    })
            }
            Operation::ShiftRight | Operation::ShiftRightSigned => right
                .number()
                .filter(|places| *places < 64)
                .map_or(Self::NONE, |places| Self {
                    mask: result.mask << places,
                    value: result.value << places,
                }),
            Operation::Multiply => Self::NONE,
        }
    }

    /// Infers the right operand from the result and the left operand.
    pub fn right_of(operation: Operation, result: Self, left: Self) -> Self {
        match operation {
            Operation::Add | Operation::Xor | Operation::And | Operation::Or => {
                Self::left_of(operation, result, left)
            }
            Operation::Subtract => Self::apply(Operation::Subtract, left, result),
            Operation::Multiply
            | Operation::ShiftLeft
            | Operation::ShiftRight
            | Operation::ShiftRightSigned => Self::NONE,
        }
    }

    fn zeros(self) -> u64 {
        self.mask & !self.value
    }
}

/// Returns a mask of the lowest `bits` bits.
pub(super) fn ones(bits: u8) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPERATIONS: [Operation; 9] = [
        Operation::Add,
        Operation::Subtract,
        Operation::Multiply,
        Operation::And,
        Operation::Or,
        Operation::Xor,
        Operation::ShiftLeft,
        Operation::ShiftRight,
        Operation::ShiftRightSigned,
    ];

    proptest! {
        #[test]
        fn what_is_known_is_true(left: u64, wide: u64, small in 0u64..70, is_small: bool, masks: [u64; 3], bits in 1u8..=64) {
            let right = if is_small { small } else { wide };
            let masks = if is_small { [masks[0], u64::MAX, masks[2]] } else { masks };
            let known = |value, place: usize| Knowledge::new(value, masks[place]);
            for operation in OPERATIONS {
                let result = operation.apply(left, right);
                prop_assert!(Knowledge::apply(operation, known(left, 0), known(right, 1)).agrees(Knowledge::exact(result)));
                prop_assert!(Knowledge::left_of(operation, known(result, 2), known(right, 1)).agrees(Knowledge::exact(left)));
                prop_assert!(Knowledge::right_of(operation, known(result, 2), known(left, 0)).agrees(Knowledge::exact(right)));
                let whole = Knowledge::apply(operation, Knowledge::exact(left), Knowledge::exact(right));
                prop_assert_eq!(whole, Knowledge::exact(result));
            }
            let unused = 64 - u32::from(bits);
            let signed = (left << unused).cast_signed() >> unused;
            prop_assert!(known(left, 0).sign_extended(bits).agrees(Knowledge::exact(signed.cast_unsigned())));
            prop_assert!(known(left, 0).cut(bits).agrees(Knowledge::exact(left & ones(bits))));
        }
    }
}
