//! Inferred contents of memory in a trace without values.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{Range, RangeInclusive};

use stepback_machine::{AccessKind, Address};
use stepback_parsers::Position;

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::value::{ByteState, ValueSource};
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::inference::access_values::{AccessValues, AccessedByte};
use crate::inference::contested::ContestedMemory;
use crate::inference::ending::unfinished_slots;
use crate::inference::engine::Circumstances;
use crate::inference::others::{self, run_of};
use crate::inference::overwrites::OverwriteReader;
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::inference::shared::StoreStatus;
use crate::inference::snapshot::circumstances;
use crate::read::doubts;
use crate::read::slots::{SlotReader, ThreadSlot};
use crate::read::touches::{ByteTouches, TouchFilter, TouchReader};
use crate::store::granules::{GRANULE_BITS, granules_of};

/// Maximum distance of a later load that can show the contents at a position.
const SLOTS_AFTER: u64 = 256;
/// In a trace without recorded system calls, the number of previous slots in which only its steps
/// can have written.
const SLOTS_BEFORE: u64 = 1024;
/// Maximum number of slots with accesses to a block to examine before the last system call or signal.
const OLDER: usize = 16;

/// Returns the bytes of memory at a position that the steps imply, without using recorded values;
/// `None` for unknown bytes. Bytes beyond the end of the address space are left out.
pub(crate) fn infer_memory(
    index: &Index,
    range: MemoryRange,
    at: Position,
    cancel: &Cancel,
) -> Result<Vec<Option<u8>>, QueryError> {
    SlotReader(index).check_position(at)?;
    let granules = granules_of(range.address, range.len_bytes);
    let mut bytes =
        vec![ByteState::default(); granules.map(|(_, mask)| mask.count_ones() as usize).sum()];
    let hidden = Circumstances {
        are_values_taken: false,
        ..circumstances(index)
    };
    let memory = SlotReader(index).memory_at(None, at)?;
    infer(
        index,
        hidden,
        MemoryMoment { range, memory, at },
        &mut bytes,
        cancel,
    )?;
    Ok(bytes.iter().map(|byte| byte.value).collect())
}

/// Fills in the inferred values of bytes that the trace does not record. Does nothing for traces
/// that record values.
pub(crate) fn fill_memory(
    index: &Index,
    moment: MemoryMoment,
    bytes: &mut [ByteState],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    if !index.is_inferred() || doubts::is_filtered(index, moment.at, cancel)? {
        return Ok(());
    }
    infer(index, circumstances(index), moment, bytes, cancel)
}

/// A range of a memory at a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryMoment {
    /// Byte range.
    pub range: MemoryRange,
    /// The memory; `None` if there is only one.
    pub memory: Option<MemoryId>,
    /// The position.
    pub at: Position,
}

/// Accesses that may show the value of a byte at a position.
#[derive(Clone, Copy, Debug, Default)]
struct ByteWitnesses {
    last_write: Option<u64>,
    /// Only if it is after the last write.
    last_read: Option<u64>,
    /// The next access after the position, if it is a load.
    next_read: Option<u64>,
}

impl ByteWitnesses {
    fn all(self) -> impl Iterator<Item = (u64, AccessKind)> {
        let reads = [self.last_read, self.next_read]
            .into_iter()
            .flatten()
            .map(|slot| (slot, AccessKind::Read));
        self.last_write
            .map(|slot| (slot, AccessKind::Write))
            .into_iter()
            .chain(reads)
    }
}

/// Infers block by block. All bytes of a block are looked at together, whichever are asked for, so
/// that a byte has the same value in every answer.
fn infer(
    index: &Index,
    circumstances: Circumstances,
    moment: MemoryMoment,
    bytes: &mut [ByteState],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    let MemoryRange { address, len_bytes } = moment.range;
    let mut contents = None;
    let mut rest = bytes;
    for (granule, mask) in granules_of(address, len_bytes) {
        cancel.check()?;
        let (part, after) = rest.split_at_mut(rest.len().min(mask.count_ones() as usize));
        rest = after;
        if part.iter().all(|state| is_settled(index, state)) {
            continue;
        }
        let contents = match &mut contents {
            Some(contents) => contents,
            none => none.insert(InferredContents::new(index, circumstances, moment, cancel)?),
        };
        let block = contents.block(granule, cancel)?;
        let known = block.iter().skip(mask.trailing_zeros() as usize);
        for (state, known) in part.iter_mut().zip(known) {
            if let Some(known) = known.filter(|_| !is_settled(index, state)) {
                *state = known;
            }
        }
    }
    Ok(())
}

/// Returns true if the trace shows a byte.
fn is_settled(index: &Index, state: &ByteState) -> bool {
    let is_stated = index.source().leaves_values_out() && state.value.is_some();
    // An instruction was fetched from there.
    let is_executed = state.value.is_some() && state.seen_at.is_some();
    is_stated || is_executed || state.source == ValueSource::Recorded
}

/// Infers the contents of blocks of a memory at a position.
struct InferredContents<'i> {
    index: &'i Index,
    memory: Option<MemoryId>,
    at: Position,
    values: AccessValues<'i>,
    contested: ContestedMemory<'i>,
    /// Last steps of the threads, which may not have been completed.
    endings: HashMap<ThreadId, Option<Range<u64>>>,
    /// First slot after the last event before the position that may have written memory besides
    /// the steps; `None` if the trace does not record system calls.
    last_break: Option<u64>,
    /// The slots around the position between instructions that may make system calls.
    without_calls: Option<Range<u64>>,
}

impl<'i> InferredContents<'i> {
    fn new(
        index: &'i Index,
        circumstances: Circumstances,
        moment: MemoryMoment,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let MemoryMoment { memory, at, .. } = moment;
        let last_break = match others::has_system_calls(index, at, cancel)? {
            true => {
                let last = others::last_break(index, memory, at, cancel)?;
                Some(last.map_or(0, |slot| slot.saturating_add(1)))
            }
            false => None,
        };
        Ok(Self {
            index,
            memory,
            at,
            values: AccessValues::new(index, circumstances),
            contested: ContestedMemory::new(index, at)?,
            endings: HashMap::new(),
            last_break,
            without_calls: None,
        })
    }

    /// Returns the inferred bytes of a block.
    fn block(
        &mut self,
        granule: u64,
        cancel: &Cancel,
    ) -> Result<[Option<ByteState>; 64], QueryError> {
        let mut found = [None; 64];
        let Some(witnesses) = BlockWitnesses::read(self, granule)? else {
            return Ok(found);
        };
        let usable = self.usable_slots(&witnesses, cancel)?;
        self.contested.examine(witnesses.around.clone(), cancel)?;
        for ((state, offset), known) in found.iter_mut().zip(0..).zip(witnesses.bytes) {
            let address = witnesses.start.0.wrapping_add(offset);
            *state = self.byte(address, known, &usable, cancel)?;
        }
        Ok(found)
    }

    /// Returns a byte as the first usable access shows it.
    fn byte(
        &mut self,
        address: u64,
        witnesses: ByteWitnesses,
        usable: &BTreeSet<u64>,
        cancel: &Cancel,
    ) -> Result<Option<ByteState>, QueryError> {
        let is_stored = if witnesses.last_write.is_some() {
            StoreStatus::Yes
        } else {
            StoreStatus::No
        };
        for (slot, kind) in witnesses.all() {
            if slot <= self.at.0 && self.is_unfinished(slot)? {
                break;
            }
            if !usable.contains(&slot) {
                continue;
            }
            let accessed = AccessedByte {
                slot,
                kind,
                address,
            };
            let Some(byte) = self.values.byte(accessed, cancel)? else {
                continue;
            };
            if !self.contested.is_contested(accessed, is_stored)? {
                return Ok(Some(ByteState {
                    value: Some(byte),
                    source: ValueSource::Inferred,
                    seen_at: Some(Position(slot)),
                }));
            }
        }
        Ok(None)
    }

    /// Returns true if the accesses of a slot may never have happened: they are of the last steps
    /// of their thread before the position, which may not have been completed.
    fn is_unfinished(&mut self, slot: u64) -> Result<bool, QueryError> {
        let index = self.index;
        if !index.source().is_recorded_by_block() {
            return Ok(false);
        }
        let thread = SlotReader(index).thread_at(Position(slot))?;
        let unfinished = match self.endings.entry(thread) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(unfinished_slots(index, thread, self.at)?),
        };
        Ok(unfinished
            .as_ref()
            .is_some_and(|slots| slots.contains(&slot)))
    }

    /// Returns the slots of accesses after which nothing but the steps of the trace can have
    /// written the bytes until the position, or in between if they are later.
    fn usable_slots(
        &mut self,
        witnesses: &BlockWitnesses,
        cancel: &Cancel,
    ) -> Result<BTreeSet<u64>, QueryError> {
        let (index, at) = (self.index, self.at);
        // The lost records may have been system calls.
        let are_calls_stated = !doubts::may_miss_records(index, &witnesses.around);
        let Some(start) = self.last_break.filter(|_| are_calls_stated) else {
            let slots = match &self.without_calls {
                Some(slots) => slots,
                None => self.without_calls.insert(without_system_calls(index, at)?),
            };
            return Ok(witnesses.slots.range(slots.clone()).copied().collect());
        };
        let mut end = at.0.saturating_add(1);
        for slot in witnesses.slots.range(end..).rev() {
            let before = Position(slot - 1);
            let last = others::last_break(index, self.memory, before, cancel)?;
            if last.is_none_or(|last| last <= at.0) {
                end = slot + 1;
                break;
            }
        }
        let mut usable: BTreeSet<u64> = witnesses.slots.range(start..end).copied().collect();
        usable.extend(witnesses.unchanged_slots(self, start, cancel)?);
        Ok(usable)
    }
}

/// The accesses that may show the bytes of a block at a position.
struct BlockWitnesses {
    /// Address of the first byte.
    start: Address,
    bytes: [ByteWitnesses; 64],
    slots: BTreeSet<u64>,
    /// The slots of the accesses and of the position.
    around: RangeInclusive<u64>,
}

impl BlockWitnesses {
    /// Reads the accesses of a block; `None` if there are none.
    fn read(contents: &InferredContents<'_>, granule: u64) -> Result<Option<Self>, QueryError> {
        let (reader, at) = (
            TouchReader::in_memory(contents.index, contents.memory),
            contents.at,
        );
        let writes = reader.last_touches(granule, u64::MAX, at.0, TouchFilter::Writes)?;
        let last = reader.last_touches(granule, u64::MAX, at.0, TouchFilter::All)?;
        let after = at.0.saturating_add(1);
        let next = reader.next_touches(granule, u64::MAX, after, TouchFilter::All)?;
        let bytes: [ByteWitnesses; 64] =
            std::array::from_fn(|place| witnesses_of(&writes, &last, &next, place, at));
        let of_bytes = bytes.iter().flat_map(|known| known.all());
        let slots: BTreeSet<u64> = of_bytes.map(|(slot, _)| slot).collect();
        let ends = slots.first().copied().zip(slots.last().copied());
        Ok(ends.map(|(first, last)| Self {
            start: Address(granule << GRANULE_BITS),
            bytes,
            slots,
            around: first.min(at.0)..=last.max(at.0),
        }))
    }

    /// Returns the slots before `until` whose bytes no later system call or signal can have
    /// reached.
    fn unchanged_slots(
        &self,
        contents: &InferredContents<'_>,
        until: u64,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, QueryError> {
        let index = contents.index;
        // For each slot the range of its accessed bytes, as places in the block.
        let mut accessed: BTreeMap<u64, Range<u64>> = BTreeMap::new();
        for (known, place) in self.bytes.iter().zip(0..) {
            for (slot, _) in known.all().filter(|(slot, _)| *slot < until) {
                accessed.entry(slot).or_insert(place..place).end = place + 1;
            }
        }
        let mut unchanged = Vec::new();
        for (slot, bytes) in accessed.into_iter().rev().take(OLDER) {
            let range = MemoryRange {
                address: Address(self.start.0.wrapping_add(bytes.start)),
                len_bytes: bytes.end - bytes.start,
            };
            let done = ThreadSlot {
                thread: SlotReader(index).thread_at(Position(slot))?,
                slot,
            };
            let overwrites = OverwriteReader::new(index, Some(range));
            if overwrites.overtaken(done, contents.at, cancel)?.is_none() {
                unchanged.push(slot);
            }
        }
        Ok(unchanged)
    }
}

/// Returns the accesses of a byte around a position, given the last stores, and the last and next
/// accesses, of its block.
fn witnesses_of(
    writes: &ByteTouches,
    last: &ByteTouches,
    next: &ByteTouches,
    place: usize,
    at: Position,
) -> ByteWitnesses {
    let slot_of_read = |touches: &ByteTouches| {
        let touch = touches.get(place).copied().flatten();
        touch
            .filter(|touch| !touch.is_write)
            .map(|touch| touch.slot)
    };
    ByteWitnesses {
        last_write: writes.get(place).copied().flatten().map(|touch| touch.slot),
        last_read: slot_of_read(last),
        next_read: slot_of_read(next).filter(|slot| *slot <= at.0.saturating_add(SLOTS_AFTER)),
    }
}

/// Returns the unbroken slots of a trace without recorded system calls: searches for instructions
/// that make system calls. System calls of other threads are unknown.
fn without_system_calls(index: &Index, at: Position) -> Result<Range<u64>, QueryError> {
    if index.threads().len() > 1 {
        return Ok(0..0);
    }
    let around = StepRadius {
        before: SLOTS_BEFORE,
        after: SLOTS_AFTER,
    }
    .of(index, at.0..at.0);
    let run = run_of(index, ThreadId(0), &RunSlots::single(index, around.clone()))?;
    let mut breaks = run
        .steps
        .iter()
        .filter(|step| step.is_broken || step.is_lost || step.is_trap())
        .map(|step| step.slot);
    let before = breaks.clone().take_while(|slot| *slot <= at.0).last();
    let after = breaks.find(|slot| *slot > at.0);
    let start = before.map_or(around.start, |slot| slot.saturating_add(1));
    Ok(start..after.map_or(around.end, |slot| slot.saturating_add(1)))
}
