//! Which reads of some slots found bytes other than they were known to be.

use std::collections::HashMap;

use stepback_parsers::Source;

use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::slots::{EventKind, SlotEvent, SlotReader};
use crate::read::touches::TouchReader;
use crate::store::granules::granules_of;

/// The reads among some events that contradict what was known before them, found in one go:
/// a step may have a million accesses, and looking at those before each of them for each would take the square of that.
#[derive(Debug, Default)]
pub(crate) struct Contradictions {
    /// In the order of the events.
    found: Vec<Contradiction>,
}

/// A read that found some bytes of a block other than they were known to be.
#[derive(Debug)]
struct Contradiction {
    slot: u64,
    place_in_slot: usize,
    granule: u64,
    /// Bit i for byte i of the block.
    bytes: u64,
}

/// A block of memory in a slot.
#[derive(Debug)]
struct Block {
    /// What contradicts in each touch of the slot; nothing when none does.
    masks: Vec<u64>,
    /// Touches of the events so far.
    passed: usize,
}

impl Contradictions {
    /// Of the events of whole slots, in trace order. Cost: linear in the events.
    pub fn of<S: Source>(index: &Index<S>, events: &[SlotEvent]) -> Result<Self, QueryError> {
        let mut contradictions = Self::default();
        if index.contents.externals == 0 {
            return Ok(contradictions);
        }
        for events in events.chunk_by(|one, next| one.slot == next.slot) {
            contradictions.add_slot(index, events)?;
        }
        Ok(contradictions)
    }

    fn add_slot<S: Source>(&mut self, index: &Index<S>, events: &[SlotEvent]) -> Result<(), QueryError> {
        let Some(slot) = events.first().map(|event| event.slot) else { return Ok(()) };
        if SlotReader(index).locate_all(slot).all(|(segment, _)| segment.meta.externals == 0) {
            return Ok(());
        }
        let mut blocks: HashMap<u64, Block> = HashMap::new();
        for event in events {
            let EventKind::Access { address, size_bytes, .. } = event.kind else { continue };
            for (granule, _) in granules_of(address, u64::from(size_bytes)) {
                let block = match blocks.entry(granule) {
                    std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                    std::collections::hash_map::Entry::Vacant(none) => {
                        none.insert(Block { masks: TouchReader(index).contradictions_in(granule, slot)?, passed: 0 })
                    }
                };
                // The block's list has the accesses of a slot in trace order, so counting those before finds the one.
                let bytes = block.masks.get(block.passed).copied().unwrap_or(0);
                block.passed += 1;
                if bytes != 0 {
                    self.found.push(Contradiction { slot, place_in_slot: event.place_in_slot, granule, bytes });
                }
            }
        }
        Ok(())
    }

    /// The bytes of a block that a read, one of the events, found other than they were known to be.
    pub fn bytes(&self, event: &SlotEvent, granule: u64) -> u64 {
        let place = (event.slot, event.place_in_slot);
        let first = self.found.partition_point(|found| (found.slot, found.place_in_slot) < place);
        let here = self.found.iter().skip(first).take_while(|found| (found.slot, found.place_in_slot) == place);
        here.filter(|found| found.granule == granule).fold(0, |all, found| all | found.bytes)
    }

    /// Whether a read, one of the events, contradicts what was known of some memory.
    pub fn is_any(&self, event: &SlotEvent, range: MemoryRange) -> bool {
        granules_of(range.address, range.len_bytes).any(|(granule, _)| self.bytes(event, granule) != 0)
    }
}
