//! A step of a slice as it is read.

use stepback_index::{CallId, SliceCell, SliceStep, SliceStepAccess, SliceStepDetail};
use stepback_machine::{AccessKind, Address, Instruction};

use super::copies::Copies;

/// A step by its place among those that were taken: 0 is the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u32);

/// What becomes of a step in the collapsed reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceRowRole {
    /// It has a line of its own.
    Shown,
    /// It hands on a value unchanged: a part of the link to the row that made the value, once that is known.
    Copied(Option<RowId>),
    /// It is a part of the expression of a row.
    Folded(RowId),
    /// It stores beside what the row of the link stores, for the same rows.
    Beside(RowId),
}

/// A step that was taken, with what is known of it.
#[derive(Clone, Debug)]
pub struct ReadRow {
    /// The row of the slice.
    pub slice: SliceStep,
    /// What the walk saw of it; none where the trace does not show the step.
    pub sight: Option<SliceStepDetail>,
    /// The frame that it ran in.
    pub call: Option<CallId>,
    /// What becomes of it.
    pub role: SliceRowRole,
    /// Who wants it: rows that were taken before; each once. Empty for what the question alone asks for.
    pub consumers: Vec<RowId>,
    /// The rows that it takes in, the newest first.
    pub inputs: Vec<RowId>,
    /// The rows that its line stands for besides itself: copies, parts of its expression, stores beside it.
    pub inside: Vec<RowId>,
    /// Chains that end at it or inside of its line, by their numbers.
    pub ends: Vec<usize>,
    /// How it hands values on.
    pub(super) copies: Copies,
    /// How many operators its expression has so far.
    pub(super) operators: u32,
}

impl ReadRow {
    /// True when the question itself asks for it.
    pub fn is_asked(&self) -> bool {
        self.slice
            .wanted_by
            .iter()
            .any(|wanted| wanted.step.is_none())
    }

    /// Its instruction, where that is known.
    pub fn instruction(&self) -> Option<&Instruction> {
        self.sight.as_ref()?.instruction.as_deref()
    }

    /// The memory of which it gives a value, the lowest address first.
    pub fn stored(&self) -> Option<(Address, u64)> {
        self.slice
            .defines
            .iter()
            .find_map(|defined| match defined.cell {
                SliceCell::Memory { address, len_bytes } => Some((address, len_bytes)),
                _ => None,
            })
    }

    /// The store that gave the memory of which it gives a value: as much as the step wrote there, wanted or not.
    pub fn whole_store(&self) -> Option<(Address, u64)> {
        let (first, len) = self.stored()?;
        let accesses = self.sight.iter().flat_map(|sight| &sight.accesses);
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

    /// Whether it accesses memory, as far as the trace shows.
    pub(super) fn is_accessing(&self) -> bool {
        let is_described = |instruction: &Instruction| !instruction.meaning.memory.is_empty();
        let is_seen = self
            .sight
            .as_ref()
            .is_some_and(|sight| !sight.accesses.is_empty());
        is_seen || self.instruction().is_some_and(is_described)
    }

    /// Where a memory operand of it lies: the operands of a kind lie one behind the other in the accesses of that kind.
    pub fn operand_address(&self, operand: usize) -> Option<Address> {
        let meaning = &self.instruction()?.meaning;
        let kind = meaning.memory.get(operand)?.kind;
        let before = meaning
            .memory
            .iter()
            .take(operand)
            .filter(|known| known.kind == kind);
        let skipped = before.map(|known| known.size_bytes).sum::<Option<u16>>()?;
        self.address_behind(kind, u64::from(skipped))
    }

    fn address_behind(&self, kind: AccessKind, mut skipped: u64) -> Option<Address> {
        for access in self
            .sight
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
