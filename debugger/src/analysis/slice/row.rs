//! A step of a slice with its role in the presentation.

use stepback_index::{CallId, SliceCell, SliceStep, SliceStepAccess, SliceStepDetail};
use stepback_machine::{AccessKind, Address, Instruction};

use super::copies::Copies;

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
    Beside(RowId),
}

/// A step that was taken, with derived facts.
#[derive(Clone, Debug)]
pub struct ReadRow {
    /// The step of the slice.
    pub slice: SliceStep,
    /// The instruction and accesses that the walk saw; `None` if the trace does not show the step.
    pub sight: Option<SliceStepDetail>,
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
    pub(super) copies: Copies,
    /// Number of operators in its expression until now.
    pub(super) operators: u32,
}

impl ReadRow {
    /// Returns true if its value is queried directly.
    pub fn is_asked(&self) -> bool {
        self.slice
            .wanted_by
            .iter()
            .any(|wanted| wanted.step.is_none())
    }

    /// Returns its instruction, if known.
    pub fn instruction(&self) -> Option<&Instruction> {
        self.sight.as_ref()?.instruction.as_deref()
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

    /// Returns true if it accesses memory, by its recorded accesses or its description.
    pub(super) fn is_accessing(&self) -> bool {
        let is_described = |instruction: &Instruction| !instruction.meaning.memory.is_empty();
        let is_seen = self
            .sight
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
