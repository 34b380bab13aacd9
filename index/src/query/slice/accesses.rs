//! Bytes of memory that each operand of a step accesses: the recorded accesses of the step are
//! assigned to the operands in order ([`StepAccesses`]). A record may cover several adjacent
//! operands (`ldp`), or be a part of one.
//!
//! A step may have a million events. [`StepEvents`] keeps only those that a slice needs, and
//! [`StoredBlocks`] indexes the stores by block, so that such a step costs linear time. Lines of a
//! step may come after steps of other threads; [`late_slots`] and [`late_writes`] find these later
//! slots.

use std::cell::OnceCell;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _};
use stepback_machine::{AccessKind, Address, Endian, Instruction};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::QueryError;
use crate::answers::step_record::LATE_STEPS;
use crate::index::Index;
use crate::query::slice::pieces::{StatePiece, blocks_of};
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::read::views::ViewReader;
use crate::store::granules::GRANULE_BITS;

/// Accesses of one kind of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct StepAccesses {
    /// Addresses of all bytes, in the order of the records.
    bytes: Vec<Address>,
    /// Slot of each byte.
    slots: Vec<u64>,
    /// Last place of each address in each slot; computed on first use.
    places: OnceCell<HashMap<(u64, Address), usize>>,
    /// Bytes of each operand of this kind, in the order of the operands' numbers without gaps; none
    /// if the operands do not fit the accesses.
    operands: Option<Vec<OperandBytes>>,
}

/// Place of an operand's bytes among those of the step.
#[derive(Clone, Debug)]
struct OperandBytes {
    operand: usize,
    range: Range<usize>,
}

/// Bytes of an operand's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueBytes {
    pub operand: usize,
    /// Byte range; the least significant is 0.
    pub bytes: Range<u16>,
}

/// An address in a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotAddress {
    pub slot: u64,
    pub address: Address,
}

/// Maximum number of accessed bytes of a step that are assigned to operands.
pub(super) const BYTES_DISTINGUISHED: usize = 4096;

impl StepAccesses {
    /// Collects the accesses of a step's events in the slots up to `last`.
    pub fn of<'e>(
        events: impl Iterator<Item = &'e SlotEvent>,
        instruction: &Instruction,
        kind: AccessKind,
        last: u64,
    ) -> Self {
        let (mut bytes, mut slots) = (Vec::new(), Vec::new());
        for event in events.filter(|event| event.slot <= last) {
            if let SlotEventKind::Access {
                kind: known,
                address,
                size_bytes,
                ..
            } = event.kind
                && known == kind
            {
                bytes.extend(
                    (0..u64::from(size_bytes))
                        .map(|offset| Address(address.0.wrapping_add(offset))),
                );
                slots.resize(bytes.len(), event.slot);
            }
        }
        let operands = operands_of(instruction, kind, bytes.len());
        Self {
            bytes,
            slots,
            places: OnceCell::new(),
            operands,
        }
    }

    /// Returns true if the bytes of each operand are known.
    pub fn are_operands_known(&self) -> bool {
        self.operands.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the addresses of some bytes of an operand's value; of all bytes of the step if
    /// operands are not distinguished.
    pub fn addresses(&self, operand: usize, value: Range<u16>, endian: Endian) -> &[Address] {
        let known = self
            .operands
            .iter()
            .flatten()
            .find(|known| known.operand == operand);
        let Some(known) = known else {
            return &self.bytes;
        };
        let value = usize::from(value.start)..usize::from(value.end).min(known.range.len());
        let places = match endian {
            Endian::Little => known.range.start + value.start..known.range.start + value.end,
            Endian::Big => {
                known.range.end.saturating_sub(value.end)
                    ..known.range.end.saturating_sub(value.start)
            }
        };
        self.bytes.get(places).unwrap_or_default()
    }

    pub fn all(&self) -> &[Address] {
        &self.bytes
    }

    /// Returns the operand and the byte of its value that the last access of an address in a slot
    /// accessed; none if unknown.
    pub fn value_byte(&self, at: SlotAddress, endian: Endian) -> Option<ValueBytes> {
        let SlotAddress { slot, address } = at;
        let operands = self.operands.as_ref()?;
        let place = *self.places().get(&(slot, address))?;
        let after = operands.partition_point(|known| known.range.end <= place);
        let known = operands
            .get(after)
            .filter(|known| known.range.contains(&place))?;
        let byte = match endian {
            Endian::Little => place - known.range.start,
            Endian::Big => known.range.end - 1 - place,
        };
        let byte = u16::try_from(byte).ok()?;
        Some(ValueBytes {
            operand: known.operand,
            bytes: byte..byte + 1,
        })
    }
}

impl StepAccesses {
    fn places(&self) -> &HashMap<(u64, Address), usize> {
        self.places.get_or_init(|| {
            let all = self.slots.iter().copied().zip(self.bytes.iter().copied());
            all.zip(0..).collect()
        })
    }
}

fn operands_of(
    instruction: &Instruction,
    kind: AccessKind,
    total: usize,
) -> Option<Vec<OperandBytes>> {
    if total > BYTES_DISTINGUISHED {
        return None;
    }
    let mut start = 0;
    let operands = instruction
        .meaning
        .memory
        .iter()
        .enumerate()
        .filter(|(_, known)| known.kind == kind);
    let placed = operands.map(|(operand, known)| {
        let range = start..start + usize::from(known.size_bytes?);
        start = range.end;
        Some(OperandBytes { operand, range })
    });
    let placed = placed.collect::<Option<Vec<_>>>()?;
    (start == total).then_some(placed)
}

/// Stores of a step, by their slots and blocks.
#[derive(Debug, Default)]
pub(super) struct StoredBlocks(HashMap<(u64, u64), Vec<BlockStore>>);

/// Part of a store in a block.
#[derive(Debug)]
struct BlockStore {
    /// Mask of the bytes in the block.
    mask: u64,
    /// Number of its event.
    event: usize,
}

impl StoredBlocks {
    /// Indexes the stores among the events of a step. Cost: a check of each event, and an entry for
    /// each block of each store.
    pub fn of(events: &[SlotEvent]) -> Self {
        let mut blocks: HashMap<(u64, u64), Vec<BlockStore>> = HashMap::default();
        for (event, SlotEvent { slot, kind, .. }) in events.iter().enumerate() {
            if let SlotEventKind::Access {
                kind: AccessKind::Write,
                address,
                size_bytes,
                ..
            } = kind
            {
                for (granule, mask) in blocks_of(*address, u64::from(*size_bytes)) {
                    let stores = blocks.entry((*slot, granule)).or_default();
                    // A later store hides an earlier one that it covers.
                    while stores.pop_if(|before| before.mask & !mask == 0).is_some() {}
                    stores.push(BlockStore { mask, event });
                }
            }
        }
        Self(blocks)
    }

    /// Returns the number of the event that stored a byte last in a slot.
    pub fn event(&self, slot: u64, wanted: Address) -> Option<usize> {
        let stores = self.0.get(&(slot, wanted.0 >> GRANULE_BITS))?;
        let place = wanted.0 & ((1 << GRANULE_BITS) - 1);
        stores
            .iter()
            .rev()
            .find(|store| store.mask >> place & 1 == 1)
            .map(|store| store.event)
    }

    /// Returns the byte that the step stored last at an address in a slot, with its value if known;
    /// none if it stored none.
    pub fn byte(&self, events: &[SlotEvent], slot: u64, wanted: Address) -> Option<Option<u8>> {
        let SlotEventKind::Access { address, bytes, .. } =
            &events.get(self.event(slot, wanted)?)?.kind
        else {
            return None;
        };
        let place = usize::try_from(wanted.0.wrapping_sub(address.0)).ok()?;
        Some(bytes.and_then(|bytes| bytes.get(place).copied()))
    }
}

/// Number of events of a step that are kept in any case.
const KEPT: usize = 1 << 14;

/// Collects events.
#[derive(Default)]
pub(super) struct StepEvents {
    pub kept: Vec<SlotEvent>,
    /// True if accesses were left out: the complete loads of the step are then unknown.
    pub is_cut: bool,
    /// Requested bytes of each block.
    blocks: HashMap<u64, u64>,
    /// Number of kept events at which overwritten register writes are dropped: only the last write
    /// of a register counts.
    limit: usize,
}

impl StepEvents {
    /// Creates a collector for these pieces: stores to them are kept in any case.
    pub fn about<'p>(pieces: impl Iterator<Item = &'p StatePiece>) -> Self {
        let mut blocks: HashMap<u64, u64> = HashMap::new();
        for piece in pieces {
            if let StatePiece::Memory { granule, mask } = piece {
                *blocks.entry(*granule).or_default() |= mask;
            }
        }
        Self {
            blocks,
            limit: 2 * KEPT,
            ..Self::default()
        }
    }

    /// Takes the events of some contiguous slots, ascending.
    pub fn read(&mut self, index: &Index, slots: &[u64]) -> Result<(), QueryError> {
        let Some((first, last)) = slots.first().zip(slots.last()) else {
            return Ok(());
        };
        let (first, last) = (*first, *last);
        SlotReader(index).each_event(first..last.saturating_add(1), |event| {
            if event.slot >= first {
                self.take(event);
            }
            Ok(())
        })
    }

    fn take(&mut self, event: SlotEvent) {
        let is_kept = self.kept.len() < KEPT || self.is_needed(&event);
        if is_kept {
            self.kept.push(event);
        } else if matches!(event.kind, SlotEventKind::Access { .. }) {
            self.is_cut = true;
        }
        if self.kept.len() > self.limit {
            self.forget_overwritten();
            self.limit = 2 * self.kept.len().max(KEPT);
        }
    }

    fn is_needed(&self, event: &SlotEvent) -> bool {
        match &event.kind {
            SlotEventKind::Step(_) | SlotEventKind::Register { .. } | SlotEventKind::Marker(_) => {
                true
            }
            SlotEventKind::Access {
                kind: AccessKind::Write,
                address,
                size_bytes,
                ..
            } => {
                let mut blocks = blocks_of(*address, u64::from(*size_bytes));
                blocks.any(|(granule, mask)| {
                    self.blocks
                        .get(&granule)
                        .is_some_and(|requested| requested & mask != 0)
                })
            }
            SlotEventKind::Access { .. } | SlotEventKind::Text { .. } => false,
        }
    }

    /// Keeps the last write of each register, and all other events.
    fn forget_overwritten(&mut self) {
        let mut seen = HashMap::new();
        for (place, event) in self.kept.iter().enumerate() {
            if let SlotEventKind::Register { view, .. } = &event.kind {
                seen.insert((event.thread, event.slot, *view), place);
            }
        }
        let mut place = 0;
        self.kept.retain(|event| {
            place += 1;
            match &event.kind {
                SlotEventKind::Register { view, .. } => {
                    seen.get(&(event.thread, event.slot, *view)) == Some(&(place - 1))
                }
                _ => true,
            }
        });
    }
}

/// Returns the slots after its own in which a step of a thread may have accessed memory: before the
/// thread's next step.
///
/// No list shows which of them contain an access of the thread, since those of memory do not record
/// threads, so all are read. That is bounded: at most [`LATE_STEPS`] slots, some 0.2 ms of text,
/// and none if no access of the segment is in the slot of another step.
pub(super) fn late_slots(
    index: &Index,
    thread: ThreadId,
    step: Step,
) -> Result<Range<u64>, QueryError> {
    let own = step.0.saturating_add(1);
    let nothing = own..own;
    if index.threads().len() == 1 {
        return Ok(nothing);
    }
    let next = SlotReader(index)
        .next_step_of(thread, Position(own))?
        .map_or(index.step_count(), |next| next.0);
    let last = next.min(own.saturating_add(LATE_STEPS));
    let has_late = [own, last].into_iter().any(|slot| {
        SlotReader(index)
            .locate_all(slot)
            .any(|(segment, _)| segment.meta.has_late_accesses)
    });
    let is_within = SlotReader(index).locate(own)?.0.meta.step_base
        == SlotReader(index).locate(last)?.0.meta.step_base;
    Ok(if has_late || !is_within {
        own.saturating_add(1)..last.saturating_add(1)
    } else {
        nothing
    })
}

/// Returns the slots after its own in which a step of a thread wrote registers, up to the same
/// distance as for accesses.
pub(super) fn late_writes(
    index: &Index,
    thread: ThreadId,
    step: Step,
) -> Result<Vec<u64>, QueryError> {
    let own = step.0.saturating_add(1);
    let mut slots = Vec::new();
    if index.threads().len() == 1 {
        return Ok(slots);
    }
    let next = SlotReader(index)
        .next_step_of(thread, Position(own))?
        .map_or(index.step_count(), |next| next.0);
    let last = next.min(own.saturating_add(LATE_STEPS));
    let views = if last == own {
        &[]
    } else {
        ViewReader(index).views_of(thread)
    };
    for known in views {
        let mut first = own.saturating_add(1);
        while let Some(slot) = ViewReader(index)
            .nearest_write(known, first, Direction::Forward)?
            .filter(|slot| *slot <= last)
        {
            slots.push(slot);
            first = slot.saturating_add(1);
        }
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use stepback_machine::InstructionSet;

    use super::*;
    use crate::answers::cell::ThreadId;

    fn store(slot: u64, address: u64, size_bytes: u8) -> SlotEvent {
        let kind = SlotEventKind::Access {
            kind: AccessKind::Write,
            address: Address(address),
            size_bytes,
            bytes: None,
        };
        SlotEvent {
            slot,
            thread: ThreadId(0),
            place_in_slot: 0,
            line_in_range: 0,
            set: InstructionSet::A64,
            kind,
        }
    }

    #[test]
    fn bytes_are_found_across_blocks_and_in_their_slots_alone() {
        let events = [store(3, 60, 8), store(4, 100, 4)];
        let blocks = StoredBlocks::of(&events);
        let is_stored = |slot, address| blocks.byte(&events, slot, Address(address)).is_some();
        let stored: Vec<u64> = (0..200).filter(|address| is_stored(3, *address)).collect();
        assert_eq!(stored, (60..68).collect::<Vec<u64>>());
        assert_eq!(
            [is_stored(4, 100), is_stored(4, 104), is_stored(3, 100)],
            [true, false, false]
        );
    }

    #[test]
    fn what_a_million_stores_to_one_block_hide_is_not_kept() {
        // Each covers the one before; then one that covers only a part.
        let mut events: Vec<SlotEvent> = (0..10_000).map(|_| store(3, 64, 8)).collect();
        events.push(store(3, 66, 2));
        let blocks = StoredBlocks::of(&events);
        assert_eq!(blocks.0.values().map(Vec::len).sum::<usize>(), 2);
        assert!(
            blocks.byte(&events, 3, Address(64)).is_some()
                && blocks.byte(&events, 3, Address(72)).is_none()
        );
    }
}
