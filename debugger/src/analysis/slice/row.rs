//! A step of a slice with its role in the presentation, and the decision whether it passes a value
//! on unchanged.

use stepback_index::answer::{CallId, SliceCell, SliceStep, SliceStepAccess};
use stepback_machine::semantics::{Expression, Operation};
use stepback_machine::{AccessKind, Address, Instruction, RegisterView};

use crate::analysis::slice::narrow::ones;

/// Index of a step in the order of arrival: 0 is the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u32);

/// Role of a step in the collapsed presentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceRowRole {
    /// It has its own line.
    Shown,
    /// It passes a value on unchanged. It belongs to the line of the row that made the value, once
    /// that is known.
    Copied(Option<RowId>),
    /// It is part of the expression of a row.
    Folded(RowId),
    /// It is adjacent to the store of this row, for the same consumers.
    AdjacentStore(RowId),
}

/// A step that was taken, with derived facts.
#[derive(Clone, Debug)]
pub struct ReadRow {
    /// The step of the slice.
    pub slice: SliceStep,
    /// Frame that it ran in.
    pub call: Option<CallId>,
    pub role: SliceRowRole,
    /// Rows that use its value, all taken earlier; each once. Empty if only the query itself does.
    pub consumers: Vec<RowId>,
    /// Rows whose values it uses, the newest first.
    pub inputs: Vec<RowId>,
    /// Other rows that its line includes: copies, subexpressions, adjacent stores.
    pub inside: Vec<RowId>,
    /// Chains that end at it or within its line, by index.
    pub ends: Vec<usize>,
    /// Its way of passing values on.
    pub(super) copies: CopyKind,
    /// Number of operators in its expression until now.
    pub(super) operators: u32,
}

impl ReadRow {
    /// Returns true if its value is queried directly.
    pub fn is_queried(&self) -> bool {
        self.slice
            .wanted_by
            .iter()
            .any(|wanted| wanted.step.is_none())
    }

    /// Returns its instruction, if known.
    pub fn instruction(&self) -> Option<&Instruction> {
        self.slice.detail.as_ref()?.instruction.as_deref()
    }

    /// Returns the memory that it defines for the slice, as lowest address and length.
    pub fn stored(&self) -> Option<(Address, u64)> {
        self.slice
            .defines
            .iter()
            .find_map(|defined| match defined.cell {
                SliceCell::Memory { address, len_bytes } => Some((address, len_bytes)),
                _ => None,
            })
    }

    /// Returns the whole store that defines that memory, including bytes outside the slice.
    pub fn whole_store(&self) -> Option<(Address, u64)> {
        let (first, len) = self.stored()?;
        let accesses = self.slice.detail.iter().flat_map(|sight| &sight.accesses);
        let covers = |access: &&SliceStepAccess| {
            let place = first.0.checked_sub(access.address.0);
            access.kind == AccessKind::Write
                && place.is_some_and(|place| place < u64::from(access.size_bytes))
        };
        let whole = accesses
            .rev()
            .find(covers)
            .map(|access| (access.address, u64::from(access.size_bytes)));
        Some(
            whole
                .filter(|(_, whole)| *whole >= len)
                .unwrap_or((first, len)),
        )
    }

    /// Returns true if it accesses memory, by its recorded accesses or its description.
    pub(super) fn is_accessing(&self) -> bool {
        let is_described = |instruction: &Instruction| !instruction.meaning.memory.is_empty();
        let is_seen = self
            .slice
            .detail
            .as_ref()
            .is_some_and(|sight| !sight.accesses.is_empty());
        is_seen || self.instruction().is_some_and(is_described)
    }

    /// Returns the address of a memory operand. Operands of a kind are consecutive in the accesses
    /// of that kind.
    pub fn operand_address(&self, operand: usize) -> Option<Address> {
        let meaning = &self.instruction()?.meaning;
        let kind = meaning.memory.get(operand)?.kind;
        let before = meaning
            .memory
            .iter()
            .take(operand)
            .filter(|known| known.kind == kind);
        let skipped = before.map(|known| known.size_bytes).sum::<Option<u16>>()?;
        self.address_after(kind, u64::from(skipped))
    }

    fn address_after(&self, kind: AccessKind, mut skipped: u64) -> Option<Address> {
        for access in self
            .slice
            .detail
            .as_ref()?
            .accesses
            .iter()
            .filter(|access| access.kind == kind)
        {
            match skipped.checked_sub(u64::from(access.size_bytes)) {
                Some(rest) => skipped = rest,
                None => return Some(Address(access.address.0.wrapping_add(skipped))),
            }
        }
        None
    }
}

/// The way in which a step passes values on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopyKind {
    /// It computes new values, or its effect is not described.
    #[default]
    Nothing,
    /// Unchanged: a move, a load, a store.
    All,
    /// Unchanged for values of at most this many bits: a mask, an extension.
    Within(u16),
}

impl CopyKind {
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
) -> Option<&stepback_machine::semantics::RegisterEffect> {
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

fn of_register(instruction: &Instruction, view: RegisterView) -> CopyKind {
    let Some(effect) = effect_on(instruction, view) else {
        return CopyKind::Nothing;
    };
    // A value computed from a lower part determines nothing about the upper part.
    if effect.view.register == view.register && effect.view.offset != view.offset {
        return CopyKind::Nothing;
    }
    of_value(&effect.value, 8 * view.size_bytes)
}

fn of_store(instruction: &Instruction) -> CopyKind {
    let operands = instruction.meaning.memory.iter();
    let stores = operands.map(|operand| &operand.value);
    let is_moved = |value: &Expression| matches!(value, Expression::Register(_)) || is_cut(value);
    let moved = stores.clone().filter(|value| is_moved(value)).count();
    let stored = stores
        .filter(|value| **value != Expression::Unknown)
        .count();
    if moved > 0 && moved == stored {
        CopyKind::All
    } else {
        CopyKind::Nothing
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
fn of_value(value: &Expression, wanted_bits: u16) -> CopyKind {
    match value {
        Expression::Register(_) | Expression::Loaded(_) => CopyKind::All,
        Expression::Extended {
            value,
            bits,
            is_signed,
        } => {
            let bits = u16::from(*bits);
            match (of_value(value, wanted_bits.min(bits)), value.as_ref()) {
                (CopyKind::All, Expression::Loaded(_)) => CopyKind::All,
                (CopyKind::All, _) if bits >= wanted_bits => CopyKind::All,
                (CopyKind::All, _) if *is_signed => CopyKind::Within(bits.saturating_sub(1)),
                (CopyKind::All, _) => CopyKind::Within(bits),
                (CopyKind::Within(known), _) => CopyKind::Within(known.min(bits)),
                (CopyKind::Nothing, _) => CopyKind::Nothing,
            }
        }
        Expression::Binary(Operation::And, value, mask) => {
            match (of_value(value, wanted_bits), mask.as_ref()) {
                (CopyKind::All, Expression::Constant(mask)) => {
                    // Descriptions repeat masks of narrow registers in each half of a wide one.
                    let mask = mask & ones(wanted_bits.min(64));
                    let bits = mask.trailing_ones();
                    let is_run = mask.checked_shr(bits).unwrap_or(0) == 0;
                    let bits = u16::try_from(bits).unwrap_or(u16::MAX);
                    match (is_run, bits >= wanted_bits) {
                        (_, true) => CopyKind::All,
                        (true, false) => CopyKind::Within(bits),
                        (false, false) => CopyKind::Nothing,
                    }
                }
                _ => CopyKind::Nothing,
            }
        }
        _ => CopyKind::Nothing,
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
