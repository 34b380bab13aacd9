//! The memory that the host wrote, as the index keeps it.
//!
//! ```text
//! host writes   for each, by ascending slot: slot u64, first address u64, last address u64, operation u64
//! ```
//! They are few, so they are read as a whole when the index is opened.

use std::ops::Range;

use stepback_parsers::{AccessKind, Address};

use crate::granules::GRANULE_BITS;
use crate::packed::{entry, u64_in};
use crate::{Access, AccessTarget, HostOperation, Value};

/// More are not kept: a warning says so.
pub(crate) const REGIONS_LIMIT: usize = 1 << 20;
const ENTRY_BYTES: usize = 32;
/// Regions under one pair of bounds.
const CHUNK: usize = 256;

/// Memory that the host may have written during a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostRegion {
    /// The slot of the call's step. Accesses of the same slot come after it.
    pub slot: u64,
    /// Its first address.
    pub first: u64,
    /// Its last.
    pub last: u64,
    /// What the host was asked for.
    pub operation: HostOperation,
}

impl HostRegion {
    /// As a store: nobody knows of what.
    pub fn access(&self) -> Access {
        Access {
            kind: AccessKind::Write,
            target: AccessTarget::Memory { address: Address(self.first), size_bytes: self.last - self.first + 1 },
            // One byte stands for all: a buffer may be as long as memory.
            value: Value(vec![None]),
            is_external: false,
            host_operation: Some(self.operation),
        }
    }

    fn meets(&self, (first, last): (u64, u64)) -> bool {
        self.first <= last && first <= self.last
    }

    /// Its bytes in a block.
    fn mask(&self, granule: u64) -> u64 {
        crate::memory::bytes_between(granule, self.first, self.last)
    }
}

/// The slot of a region for each byte of a block.
pub(crate) type ByteSlots = [Option<u64>; 64];

/// All memory that the host may have written.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostRegions {
    regions: Vec<HostRegion>,
    /// The lowest and highest address of each [`CHUNK`].
    bounds: Vec<(u64, u64)>,
}

impl HostRegions {
    /// Adds a region whose slot is above those so far.
    pub fn push(&mut self, region: HostRegion) {
        debug_assert!(self.regions.last().is_none_or(|before| before.slot < region.slot), "regions come in order");
        match self.bounds.last_mut().filter(|_| !self.regions.len().is_multiple_of(CHUNK)) {
            Some(bounds) => *bounds = (bounds.0.min(region.first), bounds.1.max(region.last)),
            None => self.bounds.push((region.first, region.last)),
        }
        self.regions.push(region);
    }

    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// As they lie in the index.
    pub fn encode(&self) -> Vec<u8> {
        let numbers = |region: &HostRegion| [region.slot, region.first, region.last, region.operation.number()];
        self.regions.iter().flat_map(numbers).flat_map(u64::to_le_bytes).collect()
    }

    /// Reads them; none when the bytes are not what is written.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(ENTRY_BYTES) || bytes.len() / ENTRY_BYTES > REGIONS_LIMIT {
            return None;
        }
        let mut regions = Self::default();
        for number in 0..bytes.len() / ENTRY_BYTES {
            let entry = entry::<ENTRY_BYTES>(bytes, number).ok()?;
            let (slot, first, last) = (u64_in(entry, 0), u64_in(entry, 8), u64_in(entry, 16));
            let operation = HostOperation::of_number(u64_in(entry, 24))?;
            if first > last || regions.regions.last().is_some_and(|before| before.slot >= slot) {
                return None;
            }
            regions.push(HostRegion { slot, first, last, operation });
        }
        Some(regions)
    }

    /// The region of a slot.
    pub fn at(&self, slot: u64) -> Option<&HostRegion> {
        let place = self.regions.binary_search_by_key(&slot, |region| region.slot).ok()?;
        self.regions.get(place)
    }

    /// The regions of slots up to `last` that meet a range of addresses, latest first.
    pub fn until(&self, last: u64, range: (u64, u64)) -> impl Iterator<Item = &HostRegion> {
        let end = self.regions.partition_point(|region| region.slot <= last);
        let chunks = (0..end.div_ceil(CHUNK)).rev().filter(move |chunk| self.may_meet(*chunk, range));
        let regions = chunks.flat_map(move |chunk| self.chunk(chunk, 0, end).iter().rev());
        regions.filter(move |region| region.meets(range))
    }

    /// The regions of slots from `first` on that meet a range of addresses, earliest first.
    pub fn from(&self, first: u64, range: (u64, u64)) -> impl Iterator<Item = &HostRegion> {
        let start = self.regions.partition_point(|region| region.slot < first);
        let chunks = (start / CHUNK..self.bounds.len()).filter(move |chunk| self.may_meet(*chunk, range));
        let regions = chunks.flat_map(move |chunk| self.chunk(chunk, start, usize::MAX));
        regions.filter(move |region| region.meets(range))
    }

    fn may_meet(&self, chunk: usize, (first, last): (u64, u64)) -> bool {
        self.bounds.get(chunk).is_some_and(|bounds| bounds.0 <= last && first <= bounds.1)
    }

    /// The regions of a chunk whose numbers are in `start..end`.
    fn chunk(&self, chunk: usize, start: usize, end: usize) -> &[HostRegion] {
        let first = chunk.saturating_mul(CHUNK);
        let end = first.saturating_add(CHUNK).min(end).min(self.regions.len());
        self.regions.get(first.max(start)..end).unwrap_or_default()
    }

    /// The addresses of the regions of some slots, without overlaps, ascending.
    pub fn ranges(&self, slots: Range<u64>) -> Vec<(u64, u64)> {
        let start = self.regions.partition_point(|region| region.slot < slots.start);
        let end = self.regions.partition_point(|region| region.slot < slots.end);
        let regions = self.regions.get(start..end).unwrap_or_default();
        let mut all: Vec<(u64, u64)> = regions.iter().map(|region| (region.first, region.last)).collect();
        all.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (first, last) in all {
            match merged.last_mut().filter(|before| first <= before.1) {
                Some(before) => before.1 = before.1.max(last),
                None => merged.push((first, last)),
            }
        }
        merged
    }

    /// The slot of the last region up to a slot for each byte of `need` of a block.
    pub fn last_of_bytes(&self, granule: u64, need: u64, last: u64) -> ByteSlots {
        slots_of(self.until(last, range_of(granule, need)), granule, need)
    }

    /// The slot of the first region from a slot on for each byte of `need` of a block.
    pub fn next_of_bytes(&self, granule: u64, need: u64, first: u64) -> ByteSlots {
        slots_of(self.from(first, range_of(granule, need)), granule, need)
    }
}

/// The addresses from the first to the last byte of some of a block; those of no byte meet nothing.
fn range_of(granule: u64, need: u64) -> (u64, u64) {
    let start = granule << GRANULE_BITS;
    match need {
        0 => (u64::MAX, 0),
        _ => (start | u64::from(need.trailing_zeros()), start | u64::from(63 - need.leading_zeros())),
    }
}

fn slots_of<'a>(regions: impl Iterator<Item = &'a HostRegion>, granule: u64, mut need: u64) -> ByteSlots {
    let mut slots = [None; 64];
    for region in regions {
        let mut found = region.mask(granule) & need;
        need &= !found;
        while found != 0 {
            slots[found.trailing_zeros() as usize] = Some(region.slot);
            found &= found - 1;
        }
        if need == 0 {
            break;
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions() -> HostRegions {
        let mut regions = HostRegions::default();
        for number in 0..1000 {
            let first = 0x1000 + 8 * (number % 10);
            regions.push(HostRegion { slot: 10 * number, first, last: first + 7, operation: HostOperation::Read });
        }
        regions
    }

    #[test]
    fn the_nearest_region_of_a_range_is_found_in_either_direction() {
        let regions = regions();
        let last = |last, range| regions.until(last, range).next().map(|region| region.slot);
        let next = |first, range| regions.from(first, range).next().map(|region| region.slot);
        assert_eq!(last(u64::MAX, (0x1000, 0x1000)), Some(9900));
        assert_eq!(last(9899, (0x1007, 0x1007)), Some(9800));
        assert_eq!(last(9900, (0, 0xfff)), None);
        assert_eq!(next(0, (0x1048, 0x2000)), Some(90));
        assert_eq!(next(91, (0x1048, 0x2000)), Some(190));
        assert_eq!(next(9991, (0, u64::MAX)), None);
        assert_eq!(regions.until(u64::MAX, (0, u64::MAX)).count(), 1000);
        assert_eq!(regions.from(0, (0, u64::MAX)).count(), 1000);
    }

    #[test]
    fn each_byte_of_a_block_has_its_own_region() {
        let regions = regions();
        let slots = regions.last_of_bytes(0x40, 1 | 1 << 8 | 1 << 63, 500);
        assert_eq!((slots[0], slots[8], slots[63], slots[1]), (Some(500), Some(410), Some(470), None));
        let slots = regions.next_of_bytes(0x41, u64::MAX, 501);
        assert_eq!((slots[0], slots[15], slots[16]), (Some(580), Some(590), None));
    }

    #[test]
    fn they_come_back_as_written_and_what_nobody_writes_is_refused() {
        let bytes = regions().encode();
        assert_eq!(HostRegions::decode(&bytes).unwrap().regions, regions().regions);
        assert!(HostRegions::decode(&bytes[1..]).is_none());
        for (place, byte) in [(24, 1), (8, 0xff), (32 * 999, 0)] {
            let mut other = bytes.clone();
            other[place] = byte;
            other[place + 1] = byte;
            assert!(HostRegions::decode(&other).is_none(), "{place}");
        }
    }
}
