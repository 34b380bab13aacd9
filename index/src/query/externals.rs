//! External changes: the reads that contradicted the known contents of memory
//! ([`ExternalChanges`]). The lists of accesses mark such reads, so those without any cost nothing.
//! [`KnownBefore`] follows the events of a slot to determine the contents just before each read.

use std::collections::{BTreeMap, HashMap};

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{Direction, MemoryRange, ThreadId};
use crate::answers::difference::ExternalChange;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Access;
use crate::index::Index;
use crate::query::access_search::AccessWindow;
use crate::query::question::Query;
use crate::read::byte_values::BlockState;
use crate::read::bytes::ByteReader;
use crate::read::contradictions::Contradictions;
use crate::read::external_slots::ExternalSlots;
use crate::read::recorded_accesses::check_records_accesses;
use crate::read::records::{self, FoundAccess};
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::store::granules::{GRANULE_BITS, bytes_between, granules_of, last_of};

/// Finds external changes before or after a position, the nearest first. Cost: the text of one step
/// per change, at any distance; segments without any cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExternalChanges {
    /// Memory that counts; all of it without a range.
    pub range: Option<MemoryRange>,
    /// Thread that reads; any thread without one.
    pub thread: Option<ThreadId>,
    /// Position of the query.
    pub at: Position,
    /// Backwards, steps before the position count; forwards, steps from it on.
    pub direction: Direction,
    /// Number of changes passed over at the first position that has any: those that are known
    /// already.
    pub skip: usize,
    /// Maximum number of changes in the answer.
    pub limit: usize,
}

impl Query for ExternalChanges {
    type Answer = Vec<ExternalChange>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<ExternalChange>, QueryError> {
        SlotReader(index).check_position(self.at)?;
        let mut part = AccessWindow {
            skip: self.skip,
            limit: self.limit,
        };
        let (mut found, mut next) = (Vec::new(), self.direction.first_slot(self.at.0));
        let mut slots = ExternalSlots::new(index, self.direction, self.range);
        while part.limit > 0
            && let Some(bound) = next
        {
            cancel.check()?;
            let Some(slot) = slots.next(bound, cancel)? else {
                break;
            };
            let reads = match self.direction {
                Direction::Back => self.last_reads_in(index, slot, &mut part)?,
                Direction::Forward => self.reads_in(index, slot, &mut part)?.0,
            };
            part.limit = part.limit.saturating_sub(reads.len());
            let mut changes = changes(index, slot, reads)?;
            if self.direction == Direction::Back {
                changes.reverse();
            }
            found.extend(changes);
            next = self.direction.beyond(slot);
        }
        if found.is_empty() {
            check_records_accesses(index)?;
        }
        Ok(found)
    }
}

/// A read that contradicts known memory.
struct ChangedRead {
    step: Step,
    place_in_slot: usize,
    range: MemoryRange,
    bytes: [u8; 8],
    access: Option<Access>,
}

impl ExternalChanges {
    /// Returns the matching reads of a slot inside a window, in trace order, and the number of all
    /// of them, without those that no step did. Cost: the text of the slot, once.
    fn reads_in(
        &self,
        index: &Index,
        slot: u64,
        part: &mut AccessWindow,
    ) -> Result<(Vec<ChangedRead>, usize), QueryError> {
        let (mut reads, mut count) = (Vec::new(), 0);
        let mut contradictions = Contradictions::default();
        SlotReader(index).each_event(slot..slot.saturating_add(1), |event| {
            contradictions.go_on(index, &event)?;
            let Some(read) = self.changed_read(index, &event, &contradictions)? else {
                return Ok(());
            };
            count += 1;
            if count > part.skip && reads.len() < part.limit {
                reads.push(read);
            }
            Ok(())
        })?;
        if count > 0 {
            part.skip = 0;
        }
        Ok((reads, count))
    }

    /// Returns the reads inside a window that counts from the last one, in trace order.
    fn last_reads_in(
        &self,
        index: &Index,
        slot: u64,
        part: &mut AccessWindow,
    ) -> Result<Vec<ChangedRead>, QueryError> {
        let skip = std::mem::take(&mut part.skip);
        let mut from_start = AccessWindow {
            skip: 0,
            limit: part.limit,
        };
        let (reads, count) = self.reads_in(index, slot, &mut from_start)?;
        if count == 0 {
            part.skip = skip;
        }
        let end = count.saturating_sub(skip);
        let first = end.saturating_sub(part.limit);
        if first == 0 {
            return Ok(reads.into_iter().take(end).collect());
        }
        let mut part = AccessWindow {
            skip: first,
            limit: end - first,
        };
        Ok(self.reads_in(index, slot, &mut part)?.0)
    }

    fn changed_read(
        &self,
        index: &Index,
        event: &SlotEvent,
        contradictions: &Contradictions,
    ) -> Result<Option<ChangedRead>, QueryError> {
        let SlotEventKind::Access {
            kind: AccessKind::Read,
            address,
            size_bytes,
            bytes: Some(bytes),
        } = event.kind
        else {
            return Ok(None);
        };
        let range = MemoryRange {
            address,
            len_bytes: u64::from(size_bytes.min(8)),
        };
        let is_whose = self.thread.is_none_or(|thread| thread == event.thread);
        if !is_whose || !self.contradicts(contradictions, event, range) {
            return Ok(None);
        }
        let step = SlotReader(index).owner(event.thread, event.slot)?;
        let access = records::access_of(index, event, contradictions);
        Ok(step.map(|step| ChangedRead {
            step,
            place_in_slot: event.place_in_slot,
            range,
            bytes,
            access,
        }))
    }

    /// Returns true if a read contradicts known bytes inside the range.
    fn contradicts(
        &self,
        contradictions: &Contradictions,
        event: &SlotEvent,
        read: MemoryRange,
    ) -> bool {
        granules_of(read.address, read.len_bytes).any(|(granule, _)| {
            let wanted = match self.range {
                Some(range) => last_of(range.address, range.len_bytes)
                    .map_or(0, |last| bytes_between(granule, range.address.0, last)),
                None => u64::MAX,
            };
            contradictions.bytes(event, granule) & wanted != 0
        })
    }
}

/// Converts reads of a slot, with the memory state before each: of the events of the slot, only
/// those before it count. Cost: the text of the slot once more, and each block that was read.
fn changes(
    index: &Index,
    slot: u64,
    reads: Vec<ChangedRead>,
) -> Result<Vec<ExternalChange>, QueryError> {
    if reads.is_empty() {
        return Ok(Vec::new());
    }
    let mut needed: BTreeMap<u64, u64> = BTreeMap::new();
    let blocks = reads
        .iter()
        .flat_map(|read| granules_of(read.range.address, read.range.len_bytes));
    blocks.for_each(|(granule, bytes)| *needed.entry(granule).or_default() |= bytes);
    let mut known = KnownBefore::of_slot(index, slot, &needed)?;
    let (mut stated, mut next) = (Vec::with_capacity(reads.len()), reads.iter().peekable());
    SlotReader(index).each_event(slot..slot.saturating_add(1), |event| {
        if let Some(read) = next.next_if(|read| read.place_in_slot == event.place_in_slot) {
            stated.push(known.bytes(read.range));
        }
        known.take(&event);
        Ok(())
    })?;
    let values: Vec<(Address, [u8; 8])> = reads
        .iter()
        .map(|read| (read.range.address, read.bytes))
        .collect();
    let position = Position(slot);
    let found = reads
        .into_iter()
        .map(|ChangedRead { step, access, .. }| FoundAccess {
            step,
            position,
            access,
        });
    let hits = records::hits(index, found.collect())?;
    let changes =
        hits.into_iter()
            .zip(values)
            .zip(stated)
            .map(|((hit, (address, bytes)), known_before)| {
                let bytes = bytes.into_iter().take(known_before.len()).collect();
                ExternalChange {
                    hit,
                    address,
                    bytes,
                    known_before,
                }
            });
    Ok(changes.collect())
}

/// Known contents of some blocks of memory, updated event by event within a slot.
pub(super) struct KnownBefore {
    blocks: HashMap<u64, [Option<u8>; 64]>,
}

impl KnownBefore {
    /// Creates the contents at the start of a slot, for some bytes of each block. Cost: that of
    /// each block.
    pub fn of_slot(
        index: &Index,
        slot: u64,
        needed: &BTreeMap<u64, u64>,
    ) -> Result<Self, QueryError> {
        let mut blocks = HashMap::with_capacity(needed.len());
        let region = index.host_regions.at(slot);
        let mut states: Vec<_> = needed
            .iter()
            .map(|(granule, need)| BlockState::new(*granule, *need))
            .collect();
        if let Some(before) = slot.checked_sub(1) {
            ByteReader::new(index).fill_recorded(&mut states, Position(before))?;
        }
        for BlockState {
            granule, states, ..
        } in states
        {
            let mut known = states.map(|state| state.value);
            if let Some(region) = region {
                let address = |place: u64| (granule << GRANULE_BITS).wrapping_add(place);
                let places = (0..).zip(&mut known);
                let written = places
                    .filter(|(place, _)| (region.first..=region.last).contains(&address(*place)));
                written.for_each(|(_, known)| *known = None);
            }
            blocks.insert(granule, known);
        }
        Ok(Self { blocks })
    }

    /// Returns the known values of some bytes of these blocks.
    pub fn bytes(&self, range: MemoryRange) -> Vec<Option<u8>> {
        let mut bytes = Vec::new();
        for (granule, mask) in granules_of(range.address, range.len_bytes) {
            let known = self.blocks.get(&granule).copied().unwrap_or([None; 64]);
            bytes.extend(
                (0..)
                    .zip(known)
                    .filter(|(place, _)| mask >> *place & 1 != 0)
                    .map(|(_, known): (u32, _)| known),
            );
        }
        bytes
    }

    /// Applies an event.
    pub fn take(&mut self, event: &SlotEvent) {
        let SlotEventKind::Access {
            kind,
            address,
            size_bytes,
            bytes,
        } = event.kind
        else {
            return;
        };
        if kind == AccessKind::Read && bytes.is_none() {
            return;
        }
        for (granule, mask) in granules_of(address, u64::from(size_bytes)) {
            let Some(known) = self.blocks.get_mut(&granule) else {
                continue;
            };
            for (place, known) in (0u64..)
                .zip(known)
                .filter(|(place, _)| mask >> place & 1 != 0)
            {
                let offset = (granule << GRANULE_BITS)
                    .wrapping_add(place)
                    .wrapping_sub(address.0);
                let byte = usize::try_from(offset)
                    .ok()
                    .zip(bytes)
                    .and_then(|(offset, bytes)| bytes.get(offset).copied());
                *known = byte;
            }
        }
    }
}
