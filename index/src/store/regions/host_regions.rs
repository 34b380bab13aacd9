//! Memory that the host wrote during semihosting calls ([`HostRegions`]).
//!
//! ```text
//! host writes   for each, by ascending slot: slot u64, first address u64, last address u64,
//!               operation u64
//! ```
//! There are few regions, so they are all read when the index is opened. [`RangeSet`] merges their
//! addresses into disjoint ranges.

use std::collections::BTreeMap;
use std::ops::Range;

use stepback_machine::{AccessKind, Address};

use crate::answers::step_record::{Access, AccessTarget, HostOperation};
use crate::answers::value::Value;
use crate::store::granules::{GRANULE_BITS, bytes_between};
use crate::store::packed::{entry, u64_in};

/// Maximum number of regions; further ones are dropped with a warning.
pub(crate) const REGIONS_LIMIT: usize = 1 << 20;
const ENTRY_BYTES: usize = 32;
/// Number of regions under one node of the lowest level, and of nodes under one of the next level.
const FANOUT: usize = 64;
/// Number of levels that [`REGIONS_LIMIT`] needs: their nodes have 64, 4096 and 262,144 regions.
const LEVELS: u32 = 3;

/// Memory that the host may have written during one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostRegion {
    /// Slot of the calling step. Other accesses of the same slot come after it.
    pub slot: u64,
    /// First address.
    pub first: u64,
    /// Last address.
    pub last: u64,
    /// Operation requested from the host.
    pub operation: HostOperation,
}

impl HostRegion {
    /// Returns the region as a store of an unknown value.
    pub fn access(&self) -> Access {
        Access {
            kind: AccessKind::Write,
            target: AccessTarget::Memory {
                address: Address(self.first),
                size_bytes: self.last - self.first + 1,
            },
            // One unknown byte represents all, because a buffer may be as long as memory.
            value: Value(vec![None]),
            is_inferred: false,
            is_decoded: false,
            is_external: false,
            host_operation: Some(self.operation),
        }
    }

    fn range(&self) -> AddressRange {
        AddressRange {
            first: self.first,
            last: self.last,
        }
    }
}

/// Slot of a region for each byte of a block.
pub(crate) type ByteSlots = [Option<u64>; 64];

/// All memory that the host may have written.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostRegions {
    regions: Vec<HostRegion>,
    /// For each level, the address ranges of the regions under each of its nodes. Mere bounds would
    /// not do: two buffers that are filled in turn would match every address between them.
    levels: [Vec<RangeSet>; LEVELS as usize],
}

/// Addresses of a search: a range, or some bytes of one block.
#[derive(Clone, Copy, Debug)]
enum RegionQuery {
    Range(AddressRange),
    Bytes { granule: u64, need: u64 },
}

impl RegionQuery {
    /// Returns the bounding range. An empty set of bytes has an empty range.
    fn bounds(self) -> AddressRange {
        match self {
            Self::Range(range) => range,
            Self::Bytes { need: 0, .. } => AddressRange {
                first: u64::MAX,
                last: 0,
            },
            Self::Bytes { granule, need } => {
                let start = granule << GRANULE_BITS;
                AddressRange {
                    first: start | u64::from(need.trailing_zeros()),
                    last: start | u64::from(63 - need.leading_zeros()),
                }
            }
        }
    }

    fn meets(self, range: AddressRange) -> bool {
        match self {
            Self::Range(sought) => range.first <= sought.last && sought.first <= range.last,
            Self::Bytes { granule, need } => {
                bytes_between(granule, range.first, range.last) & need != 0
            }
        }
    }

    fn meets_any(self, ranges: &RangeSet) -> bool {
        ranges.meeting(self.bounds()).any(|range| self.meets(range))
    }
}

impl HostRegions {
    /// Appends a region with a slot above all others.
    pub fn push(&mut self, region: HostRegion) {
        debug_assert!(
            self.regions
                .last()
                .is_none_or(|before| before.slot < region.slot),
            "regions come in order"
        );
        for (level, nodes) in (1..).zip(&mut self.levels) {
            let node = self.regions.len() / FANOUT.pow(level);
            if node == nodes.len() {
                nodes.push(RangeSet::default());
            }
            nodes
                .last_mut()
                .into_iter()
                .for_each(|ranges| ranges.add(region.range()));
        }
        self.regions.push(region);
    }

    /// Inserts a region for a slot that has none. O(1) at the end, otherwise O(n).
    pub fn insert(&mut self, region: HostRegion) {
        let place = self.count_below(region.slot);
        if place == self.regions.len() {
            return self.push(region);
        }
        let mut regions = std::mem::take(self).regions;
        regions.insert(place, region);
        regions.into_iter().for_each(|region| self.push(region));
    }

    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// Encodes the regions.
    pub fn encode(&self) -> Vec<u8> {
        let numbers = |region: &HostRegion| {
            [
                region.slot,
                region.first,
                region.last,
                region.operation.number(),
            ]
        };
        self.regions
            .iter()
            .flat_map(numbers)
            .flat_map(u64::to_le_bytes)
            .collect()
    }

    /// Decodes regions; `None` if the bytes are invalid.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(ENTRY_BYTES) || bytes.len() / ENTRY_BYTES > REGIONS_LIMIT {
            return None;
        }
        let mut regions = Self::default();
        for number in 0..bytes.len() / ENTRY_BYTES {
            let entry = entry::<ENTRY_BYTES>(bytes, number).ok()?;
            let (slot, first, last) = (u64_in(entry, 0), u64_in(entry, 8), u64_in(entry, 16));
            let operation = HostOperation::of_number(u64_in(entry, 24))?;
            if first > last
                || regions
                    .regions
                    .last()
                    .is_some_and(|before| before.slot >= slot)
            {
                return None;
            }
            regions.push(HostRegion {
                slot,
                first,
                last,
                operation,
            });
        }
        Some(regions)
    }

    /// Returns the region of a slot.
    pub fn at(&self, slot: u64) -> Option<&HostRegion> {
        let place = self
            .regions
            .binary_search_by_key(&slot, |region| region.slot)
            .ok()?;
        self.regions.get(place)
    }

    /// Returns the latest region, up to slot `last`, that overlaps a range of addresses.
    pub fn last_of_range(&self, last: u64, range: AddressRange) -> Option<&HostRegion> {
        self.last_before(self.count_up_to(last), RegionQuery::Range(range))
            .map(|(_, region)| region)
    }

    /// Returns the earliest region, from slot `first` on, that overlaps a range of addresses.
    pub fn next_of_range(&self, first: u64, range: AddressRange) -> Option<&HostRegion> {
        self.next_from(self.count_below(first), RegionQuery::Range(range))
            .map(|(_, region)| region)
    }

    fn count_up_to(&self, slot: u64) -> usize {
        self.regions.partition_point(|region| region.slot <= slot)
    }

    fn count_below(&self, slot: u64) -> usize {
        self.regions.partition_point(|region| region.slot < slot)
    }

    /// Returns the last matching region among the first `end`, with its number. Examines O(log n)
    /// nodes.
    fn last_before(&self, mut end: usize, sought: RegionQuery) -> Option<(usize, &HostRegion)> {
        loop {
            let number = end.checked_sub(1)?;
            match self.without(number, sought) {
                Some(regions) => end = regions.start,
                None => return Some((number, self.regions.get(number)?)),
            }
        }
    }

    /// Returns the first matching region from `start` on, with its number. Examines O(log n) nodes.
    fn next_from(&self, mut start: usize, sought: RegionQuery) -> Option<(usize, &HostRegion)> {
        loop {
            let region = self.regions.get(start)?;
            match self.without(start, sought) {
                Some(regions) => start = regions.end,
                None => return Some((start, region)),
            }
        }
    }

    /// Returns the regions under the widest node around `number` without a match; `None` if that
    /// region itself matches.
    fn without(&self, number: usize, sought: RegionQuery) -> Option<Range<usize>> {
        for (level, nodes) in (1..LEVELS + 1).zip(&self.levels).rev() {
            let size = FANOUT.pow(level);
            let node = number / size;
            if nodes
                .get(node)
                .is_some_and(|ranges| !sought.meets_any(ranges))
            {
                return Some(node * size..(node + 1) * size);
            }
        }
        let is_sought = self
            .regions
            .get(number)
            .is_some_and(|region| sought.meets(region.range()));
        (!is_sought).then(|| number..number + 1)
    }

    /// Returns the addresses of the regions in a range of slots, ascending and without overlaps.
    pub fn ranges(&self, slots: Range<u64>) -> Vec<AddressRange> {
        let (start, end) = (self.count_below(slots.start), self.count_below(slots.end));
        let mut merged = RangeSet::default();
        let regions = self.regions.get(start..end).unwrap_or_default();
        regions.iter().for_each(|region| merged.add(region.range()));
        merged.into_runs().collect()
    }

    /// Returns, for each byte of `need` of a block, the slot of the last region up to slot `last`.
    pub fn last_of_bytes(&self, granule: u64, need: u64, last: u64) -> ByteSlots {
        let mut end = self.count_up_to(last);
        slots_of(granule, need, |sought| {
            let (number, region) = self.last_before(end, sought)?;
            end = number;
            Some(region)
        })
    }

    /// Returns, for each byte of `need` of a block, the slot of the first region from slot `first`
    /// on.
    pub fn next_of_bytes(&self, granule: u64, need: u64, first: u64) -> ByteSlots {
        let mut start = self.count_below(first);
        slots_of(granule, need, |sought| {
            let (number, region) = self.next_from(start, sought)?;
            start = number + 1;
            Some(region)
        })
    }
}

/// Finds regions for the bytes of `need` one after the other, each time only for the bytes without
/// one.
fn slots_of<'a>(
    granule: u64,
    mut need: u64,
    mut nearest: impl FnMut(RegionQuery) -> Option<&'a HostRegion>,
) -> ByteSlots {
    let mut slots = [None; 64];
    while need != 0 {
        let Some(region) = nearest(RegionQuery::Bytes { granule, need }) else {
            break;
        };
        let mut found = bytes_between(granule, region.first, region.last) & need;
        need &= !found;
        while found != 0 {
            slots[found.trailing_zeros() as usize] = Some(region.slot);
            found &= found - 1;
        }
    }
    slots
}

/// A range of addresses, both ends included; empty if `first` is greater than `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    /// First address.
    pub first: u64,
    /// Last address.
    pub last: u64,
}

/// A set of addresses: a map from the first to the last address of each run.
#[derive(Clone, Debug, Default)]
pub struct RangeSet(BTreeMap<u64, u64>);

impl RangeSet {
    /// Adds a range. Runs that overlap it are merged. O(log n) for each of them.
    pub fn add(&mut self, mut range: AddressRange) {
        loop {
            let met = self.meeting(range).next();
            let Some(met) = met else { break };
            if met.first <= range.first && range.last <= met.last {
                return;
            }
            self.0.remove(&met.first);
            range = AddressRange {
                first: range.first.min(met.first),
                last: range.last.max(met.last),
            };
        }
        self.0.insert(range.first, range.last);
    }

    /// Returns the runs that overlap a range, descending. O(log n) for the first.
    pub fn meeting(&self, range: AddressRange) -> impl Iterator<Item = AddressRange> {
        let runs = self
            .0
            .range(..=range.last)
            .rev()
            .map(|(first, last)| AddressRange {
                first: *first,
                last: *last,
            });
        runs.take_while(move |run| range.first <= run.last)
    }

    /// Returns all runs, ascending.
    pub fn into_runs(self) -> impl Iterator<Item = AddressRange> {
        self.0
            .into_iter()
            .map(|(first, last)| AddressRange { first, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions() -> HostRegions {
        let mut regions = HostRegions::default();
        for number in 0..1000 {
            let first = 0x1000 + 8 * (number % 10);
            regions.push(HostRegion {
                slot: 10 * number,
                first,
                last: first + 7,
                operation: HostOperation::Read,
            });
        }
        regions
    }

    #[test]
    fn the_nearest_region_of_a_range_is_found_in_either_direction() {
        let regions = regions();
        let range = |(first, last)| AddressRange { first, last };
        let last = |last, sought| {
            regions
                .last_of_range(last, range(sought))
                .map(|region| region.slot)
        };
        let next = |first, sought| {
            regions
                .next_of_range(first, range(sought))
                .map(|region| region.slot)
        };
        assert_eq!(last(u64::MAX, (0x1000, 0x1000)), Some(9900));
        assert_eq!(last(9899, (0x1007, 0x1007)), Some(9800));
        assert_eq!(last(9900, (0, 0xfff)), None);
        assert_eq!(next(0, (0x1048, 0x2000)), Some(90));
        assert_eq!(next(91, (0x1048, 0x2000)), Some(190));
        assert_eq!(next(9991, (0, u64::MAX)), None);
        assert_eq!(
            regions.ranges(0..41),
            [
                (0x1000, 0x1007),
                (0x1008, 0x100f),
                (0x1010, 0x1017),
                (0x1018, 0x101f),
                (0x1020, 0x1027)
            ]
            .map(range)
        );
    }

    #[test]
    fn what_lies_between_two_buffers_in_turn_costs_the_same_however_often_they_are_filled() {
        let mut regions = HostRegions::default();
        for slot in 0..300_000 {
            let first = if slot % 2 == 0 { 0x1000 } else { 0x9000 };
            regions.push(HostRegion {
                slot,
                first,
                last: first + 15,
                operation: HostOperation::Read,
            });
        }
        let between = RegionQuery::Bytes {
            granule: 0x5000 >> GRANULE_BITS,
            need: u64::MAX,
        };
        let looks = |end: usize| {
            let step = |end: &usize| {
                regions
                    .without(end.checked_sub(1)?, between)
                    .map(|regions| regions.start)
            };
            std::iter::successors(Some(end), step).count()
        };
        assert_eq!((looks(64), looks(299_999), looks(300_000)), (2, 3, 3));
        // Two bytes around a third that is filled over and over.
        let around = RegionQuery::Bytes {
            granule: 0x40,
            need: 1 << 16 | 1 << 63,
        };
        assert!(
            regions.last_before(300_000, around).is_none()
                && regions.next_from(0, around).is_none()
        );
        assert!(regions.levels.iter().flatten().all(|ranges| {
            ranges
                .meeting(AddressRange {
                    first: 0,
                    last: u64::MAX,
                })
                .count()
                == 2
        }));
    }

    #[test]
    fn each_byte_of_a_block_has_its_own_region() {
        let regions = regions();
        let slots = regions.last_of_bytes(0x40, 1 | 1 << 8 | 1 << 63, 500);
        assert_eq!(
            (slots[0], slots[8], slots[63], slots[1]),
            (Some(500), Some(410), Some(470), None)
        );
        let slots = regions.next_of_bytes(0x41, u64::MAX, 501);
        assert_eq!(
            (slots[0], slots[15], slots[16]),
            (Some(580), Some(590), None)
        );
    }

    #[test]
    fn they_come_back_as_written_and_what_nobody_writes_is_refused() {
        let bytes = regions().encode();
        assert_eq!(
            HostRegions::decode(&bytes).unwrap().regions,
            regions().regions
        );
        assert!(HostRegions::decode(&bytes[1..]).is_none());
        for (place, byte) in [(24, 1), (8, 0xff), (32 * 999, 0)] {
            let mut other = bytes.clone();
            other[place] = byte;
            other[place + 1] = byte;
            assert!(HostRegions::decode(&other).is_none(), "{place}");
        }
    }
}

#[cfg(test)]
mod ranges_tests {
    use super::*;

    fn range(first: u64, last: u64) -> AddressRange {
        AddressRange { first, last }
    }

    fn pairs(runs: impl Iterator<Item = AddressRange>) -> Vec<(u64, u64)> {
        runs.map(|run| (run.first, run.last)).collect()
    }

    #[test]
    fn ranges_that_meet_become_one() {
        let mut ranges = RangeSet::default();
        for (first, last) in [
            (10, 19),
            (30, 39),
            (0, 3),
            (15, 15),
            (19, 30),
            (5, 5),
            (u64::MAX, u64::MAX),
        ] {
            ranges.add(range(first, last));
        }
        assert_eq!(pairs(ranges.meeting(range(4, 9))), [(5, 5)]);
        assert_eq!(
            pairs(ranges.meeting(range(3, 12))),
            [(10, 39), (5, 5), (0, 3)]
        );
        assert_eq!(ranges.meeting(range(40, 99)).count(), 0);
        assert_eq!(
            pairs(ranges.into_runs()),
            [(0, 3), (5, 5), (10, 39), (u64::MAX, u64::MAX)]
        );
    }
}
