//! Decides whether a step passes a value on unchanged.

use stepback_index::SliceCell;
use stepback_machine::{Expression, Instruction, Operation, RegisterView};

use super::narrow::ones;
use super::row::ReadRow;

/// The way in which a step passes values on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// It computes new values, or its effect is not described.
    #[default]
    Nothing,
    /// Unchanged: a move, a load, a store.
    All,
    /// Unchanged for values of at most this many bits: a mask, an extension.
    Within(u16),
}

impl Copies {
    /// Classifies a step by all values that are traced of it.
    pub(super) fn of(row: &ReadRow) -> Self {
        let Some(instruction) = row.instruction() else {
            return Self::Nothing;
        };
        let mut all = Self::All;
        for defined in &row.slice.defines {
            let one = match defined.cell {
                SliceCell::Register { view, .. } => of_register(instruction, view),
                SliceCell::Memory { .. } => of_store(instruction),
                SliceCell::Flags { .. } => Self::Nothing,
            };
            match (one, all) {
                (Self::Nothing, _) => return Self::Nothing,
                (Self::Within(bits), Self::Within(known)) => all = Self::Within(bits.min(known)),
                (Self::Within(bits), _) => all = Self::Within(bits),
                (Self::All, _) => {}
            }
        }
        if row.slice.defines.is_empty() {
            Self::Nothing
        } else {
            all
        }
    }
}

/// Returns the effect of an instruction on a register or a part of it.
pub(super) fn effect_on(
    instruction: &Instruction,
    view: RegisterView,
) -> Option<&stepback_machine::RegisterEffect> {
    let covers = |known: &RegisterView| {
        known.register == view.register
            && known.offset <= view.offset
            && view.offset.saturating_add(view.size_bytes)
                <= known.offset.saturating_add(known.size_bytes)
    };
    let effects = &instruction.meaning.writes;
    let exact = effects.iter().find(|effect| covers(&effect.view));
    // A banked or windowed register has another name where it is read.
    exact.or(match &effects[..] {
        [only]
            if only.view.register != view.register && only.view.size_bytes >= view.size_bytes =>
        {
            Some(only)
        }
        _ => None,
    })
}

fn of_register(instruction: &Instruction, view: RegisterView) -> Copies {
    let Some(effect) = effect_on(instruction, view) else {
        return Copies::Nothing;
    };
    // A value computed from a lower part determines nothing about the upper part.
    if effect.view.register == view.register && effect.view.offset != view.offset {
        return Copies::Nothing;
    }
    of_value(&effect.value, 8 * view.size_bytes)
}

fn of_store(instruction: &Instruction) -> Copies {
    let mut stores = instruction
        .meaning
        .memory
        .iter()
        .map(|operand| &operand.value);
    let is_moved = |value: &Expression| matches!(value, Expression::Register(_)) || is_cut(value);
    let mut moved = stores.clone().filter(|value| is_moved(value)).count();
    let stored = stores
        .by_ref()
        .filter(|value| **value != Expression::Unknown)
        .count();
    if stored == 0 {
        moved = 0;
    }
    if moved > 0 && moved == stored {
        Copies::All
    } else {
        Copies::Nothing
    }
}

/// Returns true for a register of which only the low bits are stored.
fn is_cut(value: &Expression) -> bool {
    let Expression::Extended {
        value,
        is_signed: false,
        ..
    } = value
    else {
        return false;
    };
    matches!(value.as_ref(), Expression::Register(_))
}

/// Classifies an expression of which `wanted_bits` bits are used.
fn of_value(value: &Expression, wanted_bits: u16) -> Copies {
    match value {
        Expression::Register(_) | Expression::Loaded(_) => Copies::All,
        Expression::Extended {
            value,
            bits,
            is_signed,
        } => {
            let bits = u16::from(*bits);
            match (of_value(value, wanted_bits.min(bits)), value.as_ref()) {
                (Copies::All, Expression::Loaded(_)) => Copies::All,
                (Copies::All, _) if bits >= wanted_bits => Copies::All,
                (Copies::All, _) if *is_signed => Copies::Within(bits.saturating_sub(1)),
                (Copies::All, _) => Copies::Within(bits),
                (Copies::Within(known), _) => Copies::Within(known.min(bits)),
                (Copies::Nothing, _) => Copies::Nothing,
            }
        }
        Expression::Binary(Operation::And, value, mask) => {
            match (of_value(value, wanted_bits), mask.as_ref()) {
                (Copies::All, Expression::Constant(mask)) => {
                    // Descriptions repeat masks of narrow registers in each half of a wide one.
                    let mask = mask & ones(wanted_bits.min(64));
                    let bits = mask.trailing_ones();
                    let is_run = mask.checked_shr(bits).unwrap_or(0) == 0;
                    let bits = u16::try_from(bits).unwrap_or(u16::MAX);
                    match (is_run, bits >= wanted_bits) {
                        (_, true) => Copies::All,
                        (true, false) => Copies::Within(bits),
                        (false, false) => Copies::Nothing,
                    }
                }
                _ => Copies::Nothing,
            }
        }
        _ => Copies::Nothing,
    }
}

/// Returns the maximum number of bits of a value that an instruction writes to a register, from the
/// instruction only.
pub(super) fn bits_of(instruction: &Instruction, view: RegisterView) -> u16 {
    let whole = 8 * view.size_bytes;
    let Some(effect) = effect_on(instruction, view) else {
        return whole;
    };
    let operand_bits = |operand: usize| {
        let known = instruction
            .meaning
            .memory
            .get(operand)
            .and_then(|known| known.size_bytes);
        known.map_or(whole, |size| size.saturating_mul(8))
    };
    let bits = match &effect.value {
        Expression::Loaded(operand) => operand_bits(*operand),
        Expression::Extended {
            value,
            bits,
            is_signed: false,
        } => match value.as_ref() {
            Expression::Loaded(operand) => operand_bits(*operand).min(u16::from(*bits)),
            Expression::Binary(Operation::And, _, mask) => match mask.as_ref() {
                Expression::Constant(mask) => bits_in(mask & ones(u16::from(*bits))),
                _ => u16::from(*bits),
            },
            _ => u16::from(*bits),
        },
        Expression::Constant(number) => bits_in(*number),
        Expression::Binary(Operation::And, _, mask) => match mask.as_ref() {
            Expression::Constant(mask) => bits_in(mask & ones(whole.min(64))),
            _ => whole,
        },
        _ => whole,
    };
    bits.min(whole)
}

fn bits_in(number: u64) -> u16 {
    u16::try_from(64 - number.leading_zeros()).unwrap_or(64)
}
