//! Known contents of some memory before an event of a slot.

use std::collections::{BTreeMap, HashMap};

use stepback_machine::AccessKind;
use stepback_parsers::Position;

use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::byte_values::BlockState;
use crate::read::bytes::ByteReader;
use crate::read::slots::{SlotEvent, SlotEventKind};
use crate::store::granules::{GRANULE_BITS, granules_of};

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
