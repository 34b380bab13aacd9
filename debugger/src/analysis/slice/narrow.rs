//! Simplifies expressions of which only some low bits are used.

use stepback_machine::semantics::Operation;

use super::formula::{Formula, LoadShape, MemoryLeaf};

/// Sign or zero extension of low bits.
#[derive(Clone, Copy)]
struct Extension {
    bits: u16,
    is_signed: bool,
}

/// Returns the expression in C for the low `wanted_bits` bits of a value.
pub(super) fn as_in_c(formula: Formula, wanted_bits: u16) -> Formula {
    let wanted_bits = wanted_bits.clamp(1, 64);
    widened(narrowed(formula, wanted_bits), wanted_bits)
}

/// Truncates an expression to the low bits that a register or memory holds.
pub(super) fn cut(formula: Formula, bits: u16) -> Formula {
    let bits = bits.max(1);
    let value = narrowed(formula, bits.min(64));
    if value.bits() <= bits {
        value
    } else {
        Formula::Cast {
            value: Box::new(value),
            bits,
            is_signed: false,
        }
    }
}

/// Removes masks and extensions that do not affect the wanted bits.
pub(super) fn narrowed(formula: Formula, wanted: u16) -> Formula {
    match formula {
        Formula::Number(number) => Formula::Number(number & ones(wanted)),
        Formula::Cast {
            value,
            bits,
            is_signed,
        } => cast(*value, Extension { bits, is_signed }, wanted),
        Formula::Binary(operation, left, right) => binary(operation, *left, *right, wanted),
        Formula::Named {
            name,
            operands,
            bits,
        } => {
            // Non-values stay unchanged; all 64 bits of a value count.
            let operands = operands
                .into_iter()
                .map(|operand| narrowed(operand, 64))
                .collect();
            Formula::Named {
                name,
                operands,
                bits,
            }
        }
        Formula::Loaded(loaded) => {
            let made = loaded.made.map(|made| Box::new(narrowed(*made, 64)));
            let is_number = matches!(made.as_deref(), Some(Formula::Number(_)));
            let shape = if is_number {
                LoadShape::Plain
            } else {
                loaded.shape
            };
            let scaled = loaded.scaled.map(|scaled| Box::new(narrowed(*scaled, 64)));
            Formula::Loaded(MemoryLeaf {
                made,
                scaled,
                shape,
                ..loaded
            })
        }
        formula => formula,
    }
}

fn cast(value: Formula, extension: Extension, wanted: u16) -> Formula {
    let Extension { bits, is_signed } = extension;
    if bits >= wanted {
        return narrowed(value, wanted);
    }
    let value = match value {
        // A bit field up to the top of a word: `(s32)x >> 2`, `x >> 2`.
        Formula::Binary(Operation::ShiftRight, value, places) if is_up_to_top(&places, bits) => {
            let bits = bits + places_of(&places);
            let value = Formula::Cast {
                value,
                bits,
                is_signed,
            };
            let operation = if is_signed {
                Operation::ShiftRightSigned
            } else {
                Operation::ShiftRight
            };
            return binary(operation, value, *places, wanted);
        }
        value => narrowed(value, bits),
    };
    match value {
        Formula::Number(number) if is_signed => {
            let unused = u32::from(64u16.saturating_sub(bits)).min(63);
            let extended = ((number << unused).cast_signed() >> unused).cast_unsigned();
            Formula::Number(extended & ones(wanted))
        }
        value if value.bits() < bits || !is_signed && value.bits() <= bits => value,
        value => Formula::Cast {
            value: Box::new(value),
            bits,
            is_signed,
        },
    }
}

fn places_of(places: &Formula) -> u16 {
    match places {
        Formula::Number(places) => u16::try_from(*places).unwrap_or(64).min(64),
        _ => 64,
    }
}

fn is_up_to_top(places: &Formula, bits: u16) -> bool {
    matches!(bits + places_of(places), 32 | 64) && places_of(places) > 0
}

fn binary(operation: Operation, left: Formula, right: Formula, wanted: u16) -> Formula {
    let (left, right) = match operation {
        Operation::And => {
            let mask_bits = |formula: &Formula| match formula {
                Formula::Number(mask) => u16::try_from(64 - mask.leading_zeros())
                    .unwrap_or(64)
                    .max(1),
                _ => 64,
            };
            let (left_wanted, right_wanted) =
                (wanted.min(mask_bits(&right)), wanted.min(mask_bits(&left)));
            (narrowed(left, left_wanted), narrowed(right, right_wanted))
        }
        Operation::ShiftLeft => {
            let places = match &right {
                Formula::Number(places) => u16::try_from(*places).unwrap_or(64),
                _ => 0,
            };
            // Bits shifted out at the top do not count.
            (
                narrowed(left, wanted.saturating_sub(places).max(1)),
                narrowed(right, 64),
            )
        }
        Operation::ShiftRight | Operation::ShiftRightSigned => (
            narrowed(left, wanted.saturating_add(places_of(&right)).min(64)),
            narrowed(right, 64),
        ),
        _ => (narrowed(left, wanted), narrowed(right, wanted)),
    };
    simplified(operation, left, right, wanted)
}

fn simplified(operation: Operation, left: Formula, right: Formula, wanted: u16) -> Formula {
    if let (Formula::Number(left), Formula::Number(right)) = (&left, &right) {
        return Formula::Number(operation.apply(*left, *right) & ones(wanted));
    }
    match (operation, left, right) {
        (Operation::And, value, Formula::Number(mask))
        | (Operation::And, Formula::Number(mask), value) => {
            let counting = ones(wanted.min(value.bits()));
            if mask & counting == counting {
                value
            } else {
                joined(Operation::And, value, Formula::Number(mask))
            }
        }
        (Operation::Add | Operation::Or | Operation::Xor, value, Formula::Number(0))
        | (Operation::Add | Operation::Or | Operation::Xor, Formula::Number(0), value)
        | (Operation::Subtract, value, Formula::Number(0))
        | (
            Operation::ShiftLeft | Operation::ShiftRight | Operation::ShiftRightSigned,
            value,
            Formula::Number(0),
        ) => value,
        (Operation::Add, value, Formula::Number(number))
        | (Operation::Add, Formula::Number(number), value) => plus(value, number, wanted),
        (Operation::Subtract, value, Formula::Number(number)) => {
            plus(value, number.wrapping_neg(), wanted)
        }
        (Operation::Or, left, right) => match rotated(&left, &right, wanted) {
            Some(rotated) => rotated,
            None => joined(Operation::Or, left, right),
        },
        (operation, left, right) => joined(operation, left, right),
    }
}

fn joined(operation: Operation, left: Formula, right: Formula) -> Formula {
    Formula::Binary(operation, Box::new(left), Box::new(right))
}

/// Adds a number to a value, or subtracts its negation if that is shorter.
fn plus(value: Formula, number: u64, wanted: u16) -> Formula {
    let (value, number) = match value {
        Formula::Binary(Operation::Add, inner, known) if matches!(*known, Formula::Number(_)) => {
            let Formula::Number(known) = *known else {
                return *inner;
            };
            (*inner, number.wrapping_add(known))
        }
        Formula::Binary(Operation::Subtract, inner, known)
            if matches!(*known, Formula::Number(_)) =>
        {
            let Formula::Number(known) = *known else {
                return *inner;
            };
            (*inner, number.wrapping_sub(known))
        }
        value => (value, number),
    };
    let number = number & ones(wanted);
    let is_negative = number >> (wanted - 1) & 1 == 1 && wanted >= 8;
    match number {
        0 => value,
        _ if is_negative => joined(
            Operation::Subtract,
            value,
            Formula::Number(number.wrapping_neg() & ones(wanted)),
        ),
        _ => joined(Operation::Add, value, Formula::Number(number)),
    }
}

/// Recognises the rotation `x << n | x >> (32 - n)`.
fn rotated(left: &Formula, right: &Formula, wanted: u16) -> Option<Formula> {
    let Formula::Binary(Operation::ShiftLeft, high, up) = left else {
        return None;
    };
    let Formula::Binary(Operation::ShiftRight, low, down) = right else {
        return None;
    };
    let (Formula::Number(up), Formula::Number(down)) = (up.as_ref(), down.as_ref()) else {
        return None;
    };
    let is_whole = high == low && up + down == u64::from(wanted) && high.bits() <= wanted;
    is_whole.then(|| {
        let operands = vec![high.as_ref().clone(), Formula::Number(*down)];
        Formula::Named {
            name: "ror".into(),
            operands,
            bits: wanted,
        }
    })
}

/// Removes casts to the type that C computes in anyway, and adds those without which C would
/// truncate a result.
fn widened(formula: Formula, wanted: u16) -> Formula {
    match formula {
        Formula::Cast {
            value,
            bits,
            is_signed,
        } => {
            let value = widened(*value, bits);
            if bits == 32 && !is_signed && value.computed_bits() == 32 {
                return value;
            }
            Formula::Cast {
                value: Box::new(value),
                bits,
                is_signed,
            }
        }
        Formula::Binary(operation, left, right) => {
            let wanted_of_left = match operation {
                Operation::ShiftRight => wanted.saturating_add(places_of(&right)).min(64),
                _ => wanted,
            };
            let (left, right) = (widened(*left, wanted_of_left), widened(*right, wanted));
            let whole = joined(operation, left, right);
            let is_cut = wanted > 32 && whole.bits() > 32 && whole.computed_bits() == 32;
            let is_growing = matches!(
                operation,
                Operation::Add | Operation::Subtract | Operation::Multiply | Operation::ShiftLeft
            );
            match whole {
                Formula::Binary(operation, left, right) if is_cut && is_growing => {
                    match *left {
                        // `4*(u64)w0`
                        Formula::Number(number) if operation != Operation::ShiftLeft => {
                            joined(operation, Formula::Number(number), made_wide(*right))
                        }
                        left => joined(operation, made_wide(left), *right),
                    }
                }
                whole => whole,
            }
        }
        Formula::Named {
            name,
            operands,
            bits,
        } => {
            let operands = operands
                .into_iter()
                .map(|operand| widened(operand, 64))
                .collect();
            Formula::Named {
                name,
                operands,
                bits,
            }
        }
        Formula::Loaded(loaded) => {
            let made = loaded.made.map(|made| Box::new(widened(*made, 64)));
            let scaled = loaded.scaled.map(|scaled| Box::new(widened(*scaled, 64)));
            Formula::Loaded(MemoryLeaf {
                made,
                scaled,
                ..loaded
            })
        }
        formula => formula,
    }
}

/// Casts to 64 bits; a signed operand is sign-extended.
fn made_wide(value: Formula) -> Formula {
    let is_signed = matches!(
        value,
        Formula::Cast {
            is_signed: true,
            ..
        }
    );
    Formula::Cast {
        value: Box::new(value),
        bits: 64,
        is_signed,
    }
}

/// Returns a mask of the low `bits` bits.
pub(super) fn ones(bits: u16) -> u64 {
    u64::MAX
        .checked_shr(64u32.saturating_sub(u32::from(bits)))
        .unwrap_or(0)
}
