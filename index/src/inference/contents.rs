//! Inferred contents of memory in a trace without values.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use stepback_machine::{AccessKind, Address};
use stepback_parsers::Position;

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::value::{ByteState, ValueSource};
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::inference::access_values::AccessValues;
use crate::inference::contested::{ContestedMemory, WitnessByte};
use crate::inference::ending::unfinished_slots;
use crate::inference::engine::Circumstances;
use crate::inference::others::{self, run_of};
use crate::inference::overwrites::OverwriteReader;
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::inference::shared::StoreStatus;
use crate::inference::snapshot::circumstances;
use crate::read::doubts::{self};
use crate::read::slots::{SlotReader, ThreadSlot};
use crate::read::touches::{ByteTouches, TouchFilter, TouchReader};
use crate::store::granules::granules_of;

/// Maximum distance of a later load that can show the contents at a position.
const SLOTS_AFTER: u64 = 256;
/// In a trace without recorded system calls, the number of previous slots in which only its steps
/// can have written.
const SLOTS_BEFORE: u64 = 1024;
/// Maximum number of slots with accesses to examine before the last system call or signal.
const OLDER: usize = 16;
/// Maximum length of a range to infer, in bytes.
const LONGEST: u64 = 4096;

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

fn infer(
    index: &Index,
    circumstances: Circumstances,
    moment: MemoryMoment,
    bytes: &mut [ByteState],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    let MemoryMoment {
        range: MemoryRange { address, len_bytes },
        memory,
        at,
    } = moment;
    if len_bytes > LONGEST {
        return Ok(());
    }
    let mut witnesses = Vec::with_capacity(bytes.len());
    for (granule, mask) in granules_of(address, len_bytes) {
        let reader = TouchReader::in_memory(index, memory);
        let writes = reader.last_touches(granule, mask, at.0, TouchFilter::Writes)?;
        let last = reader.last_touches(granule, mask, at.0, TouchFilter::All)?;
        let next = reader.next_touches(granule, mask, at.0.saturating_add(1), TouchFilter::All)?;
        let places = (0..64).filter(|place| mask >> place & 1 != 0);
        witnesses.extend(places.map(|place| witnesses_of(&writes, &last, &next, place, at)));
    }
    let slots: BTreeSet<u64> = witnesses
        .iter()
        .flat_map(|known| known.all().map(|(slot, _)| slot))
        .collect();
    let (unbroken, are_calls_stated) = unbroken_slots(index, moment, &slots, cancel)?;
    let mut usable: BTreeSet<u64> = slots.range(unbroken.clone()).copied().collect();
    if are_calls_stated {
        usable.extend(unchanged_slots(
            index,
            moment,
            &witnesses,
            unbroken.start,
            cancel,
        )?);
    }
    let slots: Vec<u64> = usable.into_iter().collect();
    let values = AccessValues::of(index, &slots, circumstances, cancel)?;
    let first = slots.first().copied().unwrap_or(at.0).min(at.0);
    let end = slots.last().copied().unwrap_or(at.0).max(at.0);
    let mut contested = ContestedMemory::new(index, at, first..end, cancel)?;
    let mut endings = HashMap::new();
    let addresses = (0..bytes.len() as u64).map(|offset| address.0.wrapping_add(offset));
    for ((state, address), known) in bytes.iter_mut().zip(addresses).zip(witnesses) {
        let is_stated = index.source().leaves_values_out() && state.value.is_some();
        // An instruction was fetched from there.
        let is_executed = state.value.is_some() && state.seen_at.is_some();
        if is_stated || is_executed || matches!(state.source, ValueSource::Recorded) {
            continue;
        }
        let is_stored = if known.last_write.is_some() {
            StoreStatus::Yes
        } else {
            StoreStatus::No
        };
        for (slot, kind) in known.all() {
            if slot <= at.0 && is_unfinished(index, at, slot, &mut endings)? {
                break;
            }
            let Some(byte) = values.byte(slot, kind, address) else {
                continue;
            };
            if !contested.is_contested(WitnessByte {
                slot,
                kind,
                address,
                is_stored,
            })? {
                *state = ByteState {
                    value: Some(byte),
                    source: ValueSource::Inferred,
                    seen_at: Some(Position(slot)),
                };
                break;
            }
        }
    }
    Ok(())
}

/// Returns true if the accesses of a slot may never have happened: they are of the last steps of
/// their thread before a position, which may not have been completed. `known` is a cache by thread.
fn is_unfinished(
    index: &Index,
    at: Position,
    slot: u64,
    known: &mut HashMap<ThreadId, Option<Range<u64>>>,
) -> Result<bool, QueryError> {
    if !index.source().is_recorded_by_block() {
        return Ok(false);
    }
    let thread = SlotReader(index).thread_at(Position(slot))?;
    let unfinished = match known.entry(thread) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(free) => free.insert(unfinished_slots(index, thread, at)?),
    };
    Ok(unfinished
        .as_ref()
        .is_some_and(|slots| slots.contains(&slot)))
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

/// Returns the slots before `until` whose bytes no later system call or signal can have reached.
fn unchanged_slots(
    index: &Index,
    moment: MemoryMoment,
    witnesses: &[ByteWitnesses],
    until: u64,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    // For each slot the range of its accessed bytes, as indices into the queried range.
    let mut accessed: BTreeMap<u64, Range<u64>> = BTreeMap::new();
    for (known, place) in witnesses.iter().zip(0..) {
        for (slot, _) in known.all().filter(|(slot, _)| *slot < until) {
            accessed.entry(slot).or_insert(place..place).end = place + 1;
        }
    }
    let mut unchanged = Vec::new();
    for (slot, bytes) in accessed.into_iter().rev().take(OLDER) {
        let address = Address(moment.range.address.0.wrapping_add(bytes.start));
        let range = MemoryRange {
            address,
            len_bytes: bytes.end - bytes.start,
        };
        let done = ThreadSlot {
            thread: SlotReader(index).thread_at(Position(slot))?,
            slot,
        };
        if OverwriteReader::new(index, Some(range))
            .overtaken(done, moment.at, cancel)?
            .is_none()
        {
            unchanged.push(slot);
        }
    }
    Ok(unchanged)
}

/// Returns the slots around a position from which, up to the position, only the steps of the trace
/// wrote memory, and whether the trace records the system calls before them.
fn unbroken_slots(
    index: &Index,
    moment: MemoryMoment,
    slots: &BTreeSet<u64>,
    cancel: &Cancel,
) -> Result<(Range<u64>, bool), QueryError> {
    let MemoryMoment { memory, at, .. } = moment;
    // The lost records may have been system calls.
    let first = slots.first().map_or(at.0, |slot| at.0.min(*slot));
    let last = slots.last().map_or(at.0, |slot| at.0.max(*slot));
    if doubts::may_miss_records(index, &(first..=last))
        || !others::has_system_calls(index, at, cancel)?
    {
        return Ok((without_system_calls(index, at)?, false));
    }
    let start =
        others::last_break(index, memory, at, cancel)?.map_or(0, |slot| slot.saturating_add(1));
    for slot in slots.range(at.0.saturating_add(1)..).rev() {
        let before = Position(slot - 1);
        if others::last_break(index, memory, before, cancel)?.is_none_or(|last| last <= at.0) {
            return Ok((start..slot + 1, true));
        }
    }
    Ok((start..at.0.saturating_add(1), true))
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
