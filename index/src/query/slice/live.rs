//! What still holds a value that is followed: bytes of registers, flags, bytes of memory.

use std::collections::BTreeMap;

use stepback_machine::RegisterView;
use stepback_parsers::Step;

use crate::answers::slice::{Edge, SliceCell};
use crate::answers::thread::ThreadId;
use crate::query::slice::flow::Taken;
use crate::query::slice::pieces::{Piece, blocks_of, parts_of};
use crate::read::homes::Homes;
use crate::store::granules::GRANULE_BITS;

/// A piece that holds what is followed.
#[derive(Clone, Debug)]
pub(super) struct Live {
    /// Whose registers.
    pub thread: ThreadId,
    pub piece: Piece,
    /// The step that gave it; none for the cell of the question.
    pub from: Option<Step>,
    /// How many steps the condition lasts that an `it` has made of it.
    pub block: u8,
}

/// All that is followed, by the slot that touches it next.
#[derive(Debug, Default)]
pub(super) struct LiveSet {
    slots: BTreeMap<u64, Vec<Live>>,
}

impl LiveSet {
    pub fn add(&mut self, slot: u64, live: Live) {
        self.slots.entry(slot).or_default().push(live);
    }

    /// What the next slot touches.
    pub fn take_oldest(&mut self) -> Option<(u64, Vec<Live>)> {
        self.slots.pop_first()
    }
}

impl Live {
    /// Whether a step takes it in, with what for. The registers that it names are those of its mode.
    pub fn is_taken(&self, taken: &Taken, thread: ThreadId, home: impl Fn(RegisterView) -> RegisterView) -> bool {
        match (&self.piece, taken) {
            (Piece::Register { view, homes }, Taken::Register(read)) => {
                thread == self.thread && is_named(homes, home(*read)) && overlaps(*view, *read)
            }
            (Piece::Flags(bits), Taken::Flags(read)) => thread == self.thread && bits & read != 0,
            (Piece::Memory { granule, mask }, Taken::Memory(addresses)) => addresses.iter().any(|address| {
                address.0 >> GRANULE_BITS == *granule && mask >> (address.0 & ((1 << GRANULE_BITS) - 1)) & 1 == 1
            }),
            _ => false,
        }
    }

    /// Whether a cell of a thread has a byte of it.
    pub fn is_in(&self, cell: SliceCell, thread: ThreadId) -> bool {
        match (&self.piece, cell) {
            (Piece::Register { view, homes }, SliceCell::Register { view: other, .. }) => {
                thread == self.thread && is_named(homes, other) && overlaps(*view, other)
            }
            (Piece::Flags(bits), SliceCell::Flags { bits: others, .. }) => thread == self.thread && bits & others != 0,
            (Piece::Memory { granule, mask }, SliceCell::Memory { address, len_bytes }) => {
                blocks_of(address, len_bytes).any(|(other, others)| other == *granule && others & mask != 0)
            }
            _ => false,
        }
    }

    /// What is left of it once bytes were overwritten.
    pub fn without(self, is_overwritten: impl Fn(&Piece) -> Overwritten) -> Vec<Self> {
        match (is_overwritten(&self.piece), &self.piece) {
            (Overwritten::Bytes(gone), Piece::Register { view, homes }) => {
                let is_gone = |offset: u16| gone.iter().any(|part| part.contains(&offset));
                let left = parts_of(*view, is_gone).into_iter().filter(|(_, is_gone)| !is_gone);
                let pieces: Vec<_> = left.map(|(view, _)| Piece::Register { view, homes: homes.clone() }).collect();
                pieces.into_iter().map(|piece| Self { piece, ..self.clone() }).collect()
            }
            (Overwritten::Mask(gone), Piece::Flags(bits)) => {
                let bits = bits & !gone;
                (bits != 0).then_some(Self { piece: Piece::Flags(bits), ..self }).into_iter().collect()
            }
            (Overwritten::Mask(gone), Piece::Memory { granule, mask }) => {
                let (granule, mask) = (*granule, mask & !gone);
                (mask != 0).then_some(Self { piece: Piece::Memory { granule, mask }, ..self }).into_iter().collect()
            }
            _ => vec![self],
        }
    }
}

/// What of a piece a step overwrote.
#[derive(Debug)]
pub(super) enum Overwritten {
    /// Bytes of a register, by their offsets.
    Bytes(Vec<std::ops::Range<u16>>),
    /// Flags, or bytes of a block.
    Mask(u64),
}

/// What a step made of what is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    pub from: Option<Step>,
    pub edge: Edge,
}

fn is_named(homes: &Homes, view: RegisterView) -> bool {
    homes.lists().any(|home| home.register == view.register)
}

fn overlaps(one: RegisterView, other: RegisterView) -> bool {
    let end = |view: RegisterView| u32::from(view.offset) + u32::from(view.size_bytes);
    u32::from(one.offset) < end(other) && u32::from(other.offset) < end(one)
}
