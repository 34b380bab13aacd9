//! Live locations of a traced value: bytes of registers, flags, bytes of memory.

use std::collections::BTreeMap;

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::Step;

use crate::answers::cell::ThreadId;
use crate::answers::slice::{Edge, SliceCell, SliceEnd, SliceEndKind, SliceRow, SliceUse};
use crate::query::slice::pieces::{StatePiece, blocks_of};

/// Definition of a piece, as a backward search from its use finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefinitionSite {
    /// A step, with the slot of its write.
    Step { step: Step, slot: u64 },
    /// No step: the chain ends for this reason.
    Nobody(SliceEndKind),
}

/// A piece that holds a traced value.
#[derive(Clone, Debug)]
pub(super) struct LiveLocation {
    /// Thread of the registers; for memory, the thread that stored it.
    pub thread: ThreadId,
    pub piece: StatePiece,
    /// Step from which it has the value; none for the cell of the query.
    pub from: Option<Step>,
    pub giver: DefinitionSite,
    /// For flags: number of further steps of the thread that may depend on them without naming
    /// them, because of an `it`.
    pub block: u8,
}

/// Live locations, by the slot that touches each next.
#[derive(Debug, Default)]
pub(super) struct LiveSet {
    slots: BTreeMap<u64, Vec<LiveLocation>>,
}

impl LiveSet {
    pub fn add(&mut self, slot: u64, live: LiveLocation) {
        self.slots.entry(slot).or_default().push(live);
    }

    /// Returns the next slot that touches a live location.
    pub fn next_slot(&self) -> Option<u64> {
        self.slots.keys().next().copied()
    }

    /// Takes the locations that a slot touches.
    pub fn take_at(&mut self, slot: u64) -> Vec<LiveLocation> {
        self.slots.remove(&slot).unwrap_or_default()
    }
}

impl LiveLocation {
    /// Returns true if the location was defined in a slot: earlier events of the slot do not
    /// overwrite it.
    pub fn is_defined_in(&self, slot: u64) -> bool {
        self.from.is_some()
            && matches!(self.giver, DefinitionSite::Step { slot: born, .. } if born == slot)
    }

    /// Returns true if a piece of a thread may have a byte of it. A register name may mean several
    /// registers.
    pub fn meets(&self, piece: &StatePiece, thread: ThreadId) -> bool {
        match (&self.piece, piece) {
            (
                StatePiece::Register { view, homes },
                StatePiece::Register {
                    view: other,
                    homes: others,
                },
            ) => thread == self.thread && homes.may_be(others) && share_bytes(*view, *other),
            (StatePiece::Flags(bits), StatePiece::Flags(others)) => {
                thread == self.thread && bits & others != 0
            }
            (
                StatePiece::Memory { granule, mask },
                StatePiece::Memory {
                    granule: other,
                    mask: others,
                },
            ) => granule == other && mask & others != 0,
            _ => false,
        }
    }

    /// Returns true if it has all bytes of a piece that it [meets](Self::meets), if both are the
    /// same register.
    pub fn has_bytes_of(&self, piece: &StatePiece) -> bool {
        match (&self.piece, piece) {
            (StatePiece::Register { view, .. }, StatePiece::Register { view: other, .. }) => {
                view.offset <= other.offset && end_of(*other) <= end_of(*view)
            }
            (StatePiece::Flags(bits), StatePiece::Flags(others)) => others & !bits == 0,
            (StatePiece::Memory { mask, .. }, StatePiece::Memory { mask: others, .. }) => {
                others & !mask == 0
            }
            _ => false,
        }
    }

    /// Returns true if a cell of its definition has a byte of it.
    pub fn has(&self, cell: SliceCell) -> bool {
        match (&self.piece, cell) {
            (StatePiece::Register { view, .. }, SliceCell::Register { view: other, .. }) => {
                share_bytes(*view, other)
            }
            (StatePiece::Flags(bits), SliceCell::Flags { bits: others, .. }) => bits & others != 0,
            (StatePiece::Memory { granule, mask }, SliceCell::Memory { address, len_bytes }) => {
                blocks_of(address, len_bytes)
                    .any(|(other, others)| other == *granule && others & mask != 0)
            }
            _ => false,
        }
    }

    /// Returns true if it has a byte of the register that its definition wrote, if known: one step
    /// may write several of one name.
    pub fn has_byte(&self, offset: u16, home: Option<RegisterId>) -> bool {
        let StatePiece::Register { view, homes } = &self.piece else {
            return false;
        };
        let is_it = home.is_none_or(|home| homes.lists().any(|known| known.register == home));
        is_it
            && share_bytes(
                *view,
                RegisterView {
                    offset,
                    size_bytes: 1,
                    ..*view
                },
            )
    }

    /// Returns rows for the end of its chain.
    pub fn ends(&self, end: SliceEndKind) -> Vec<SliceRow> {
        self.ends_of(&self.piece, end)
    }

    /// Returns rows for the end of a part of it.
    pub fn ends_of(&self, part: &StatePiece, end: SliceEndKind) -> Vec<SliceRow> {
        part.cells(self.thread)
            .into_iter()
            .map(|cell| self.end_of(cell, end))
            .collect()
    }

    /// Returns the row for the end of a cell of it.
    pub fn end_of(&self, cell: SliceCell, end: SliceEndKind) -> SliceRow {
        let wanted_by = vec![SliceUse {
            step: self.from,
            edge: Edge::Data,
        }];
        SliceRow::End(SliceEnd {
            end,
            cell,
            wanted_by,
            doubt: None,
        })
    }
}

fn share_bytes(one: RegisterView, other: RegisterView) -> bool {
    u32::from(one.offset) < end_of(other) && u32::from(other.offset) < end_of(one)
}

fn end_of(view: RegisterView) -> u32 {
    u32::from(view.offset) + u32::from(view.size_bytes)
}
