//! Reads of some slots that contradict known memory.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::read::touches::TouchReader;
use crate::store::granules::granules_of;

/// Reads among some events that contradict the known bytes, found in one pass: a step may have a
/// million accesses, and a separate search for each would take quadratic time.
#[derive(Debug, Default)]
pub(crate) struct Contradictions {
    /// Contradictions in the order of the events.
    found: Vec<Contradiction>,
    /// Slot of the last event, and whether any read in it contradicts.
    slot: Option<(u64, bool)>,
    /// Contradicting bytes of the next touches of the blocks that the slot's events touched until
    /// now; empty when there are none.
    blocks: HashMap<u64, std::vec::IntoIter<u64>>,
}

/// A read that found other values of some bytes of a block than the known ones.
#[derive(Debug)]
struct Contradiction {
    slot: u64,
    place_in_slot: usize,
    granule: u64,
    /// Bit i for byte i of the block.
    bytes: u64,
}

/// Place of an event in the trace.
#[derive(Clone, Copy, Debug)]
struct SlotPlace {
    slot: u64,
    /// Number of events of the slot before it.
    place_in_slot: usize,
}

impl Contradictions {
    /// Finds the contradictions in the events of whole slots, in trace order. Cost: linear in the
    /// events.
    pub fn of(index: &Index, events: &[SlotEvent]) -> Result<Self, QueryError> {
        let mut contradictions = Self::default();
        events
            .iter()
            .try_for_each(|event| contradictions.add(index, event))?;
        Ok(contradictions)
    }

    /// Finds the contradictions in a slot, without keeping its events.
    pub fn of_slot(index: &Index, slot: u64) -> Result<Self, QueryError> {
        let mut contradictions = Self::default();
        SlotReader(index).each_event(slot..slot.saturating_add(1), |event| {
            contradictions.add(index, &event)
        })?;
        contradictions.blocks = HashMap::new();
        Ok(contradictions)
    }

    /// Advances to the next event, and drops the contradictions of earlier ones.
    pub fn go_on(&mut self, index: &Index, event: &SlotEvent) -> Result<(), QueryError> {
        self.found.clear();
        self.add(index, event)
    }

    /// Returns true if the next access contradicts known bytes, and drops the contradictions of
    /// earlier ones.
    pub fn is_next(
        &mut self,
        index: &Index,
        slot: u64,
        access: MemoryRange,
    ) -> Result<bool, QueryError> {
        self.found.clear();
        // Only this one is there, so its place among the events of the slot does not matter.
        let place = SlotPlace {
            slot,
            place_in_slot: 0,
        };
        self.add_access(index, place, access)?;
        Ok(!self.found.is_empty())
    }

    fn add(&mut self, index: &Index, event: &SlotEvent) -> Result<(), QueryError> {
        let SlotEventKind::Access {
            address,
            size_bytes,
            ..
        } = event.kind
        else {
            return Ok(());
        };
        let access = MemoryRange {
            address,
            len_bytes: u64::from(size_bytes),
        };
        let place = SlotPlace {
            slot: event.slot,
            place_in_slot: event.place_in_slot,
        };
        self.add_access(index, place, access)
    }

    /// Adds the contradictions of an access, given its slot and its place in it.
    fn add_access(
        &mut self,
        index: &Index,
        place: SlotPlace,
        access: MemoryRange,
    ) -> Result<(), QueryError> {
        let SlotPlace {
            slot,
            place_in_slot,
        } = place;
        if index.contents.externals == 0 {
            return Ok(());
        }
        let is_any = match self.slot {
            Some((known, is_any)) if known == slot => is_any,
            _ => {
                self.blocks.clear();
                let is_any = SlotReader(index)
                    .locate_all(slot)
                    .any(|(segment, _)| segment.meta.externals > 0);
                self.slot = Some((slot, is_any));
                is_any
            }
        };
        if !is_any {
            return Ok(());
        }
        for (granule, _) in granules_of(access.address, access.len_bytes) {
            let block = match self.blocks.entry(granule) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(none) => none.insert(
                    TouchReader::new(index)
                        .contradictions_in(granule, slot)?
                        .into_iter(),
                ),
            };
            // The block's list has the accesses of a slot in trace order, so the next one
            // is this one.
            let bytes = block.next().unwrap_or(0);
            if bytes != 0 {
                self.found.push(Contradiction {
                    slot,
                    place_in_slot,
                    granule,
                    bytes,
                });
            }
        }
        Ok(())
    }

    /// Returns the bytes of a block in which a read, one of the events, contradicts the known
    /// values.
    pub fn bytes(&self, event: &SlotEvent, granule: u64) -> u64 {
        let place = (event.slot, event.place_in_slot);
        let first = self
            .found
            .partition_point(|found| (found.slot, found.place_in_slot) < place);
        let here = self
            .found
            .iter()
            .skip(first)
            .take_while(|found| (found.slot, found.place_in_slot) == place);
        here.filter(|found| found.granule == granule)
            .fold(0, |all, found| all | found.bytes)
    }

    /// Returns true if a read, one of the events, contradicts known bytes of some memory.
    pub fn is_any(&self, event: &SlotEvent, range: MemoryRange) -> bool {
        granules_of(range.address, range.len_bytes)
            .any(|(granule, _)| self.bytes(event, granule) != 0)
    }
}
