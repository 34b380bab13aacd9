//! Bytes that a step stored, indexed by block once, so that a step with many accesses costs linear
//! time.

use foldhash::HashMap;
use stepback_machine::{AccessKind, Address};

use crate::query::slice::pieces::blocks_of;
use crate::read::slots::{SlotEvent, SlotEventKind};
use crate::store::granules::GRANULE_BITS;

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

#[cfg(test)]
mod tests {
    use stepback_machine::InstructionSet;

    use super::*;
    use crate::answers::thread::ThreadId;

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
