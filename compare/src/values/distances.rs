//! Distances between things in the second trace and the same things in the first ([`Distances`]).

use std::collections::BTreeMap;
use std::ops::Range;

use stepback_index::answer::Value;

/// Distance from its known addresses within which an address belongs to a part: pointers lead past
/// the end of what they point to, and not all accesses are examined.
const PART_REACH: u64 = 1 << 24;

/// Distances between things in the second trace and the same in the first, modulo 2^64, without 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distances {
    /// Parts of the address space that lie elsewhere.
    pub parts: Vec<MovedPart>,
    /// Addresses that are the same in both traces; sorted and disjoint.
    pub unmoved: Vec<Range<u64>>,
    /// Ranges of the first trace, sorted and disjoint, of allocated blocks that have other distances.
    pub blocks: BTreeMap<u64, Vec<Range<u64>>>,
}

/// A part of the address space that lies elsewhere in the second trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MovedPart {
    /// Addresses of the first trace between which it is known to lie.
    pub extent: Range<u64>,
    pub distance: u64,
}

/// Target of a pointer in both traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointerTarget {
    /// A part of the address space that lies elsewhere by this distance.
    Part(u64),
    /// A block that the same call allocated.
    Block,
}

impl Distances {
    /// Returns true if nothing lies elsewhere.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.blocks.is_empty()
    }

    /// Returns true if a part lies elsewhere by a distance.
    pub fn has_part(&self, distance: u64) -> bool {
        self.parts.iter().any(|part| part.distance == distance)
    }

    /// Returns what two different addresses have in common.
    pub fn of_addresses(&self, a: u64, b: u64) -> Option<PointerTarget> {
        let distance = b.wrapping_sub(a);
        let mut parts = self.parts.iter();
        if parts.any(|part| part.distance == distance && self.is_in(part, a)) {
            return Some(PointerTarget::Part(distance));
        }
        let ranges = self.blocks.get(&distance)?;
        contains(ranges, a).then_some(PointerTarget::Block)
    }

    /// Returns true if an address of the first trace may belong to a part.
    fn is_in(&self, part: &MovedPart, address: u64) -> bool {
        match gap(&part.extent, address) {
            0 => true,
            gap => gap < PART_REACH && !contains(&self.unmoved, address),
        }
    }

    /// Returns the address in the second trace of what the first has at an address: that of its
    /// block, or of the nearest part.
    pub fn to_second(&self, address: u64) -> u64 {
        let near = self.parts.iter().filter(|part| self.is_in(part, address));
        let part = near.min_by_key(|part| gap(&part.extent, address));
        let distance = self.of_block(address);
        let distance = distance.or(part.map(|part| part.distance));
        address.wrapping_add(distance.unwrap_or_default())
    }

    /// Returns the address in the first trace of what the second has at an address.
    pub fn to_first(&self, address: u64) -> u64 {
        let parts = self.parts.iter().map(|part| part.distance);
        let distances = self.blocks.keys().copied().chain(parts);
        let mut origins = distances.map(|distance| address.wrapping_sub(distance));
        let origin = origins.find(|origin| self.to_second(*origin) == address);
        origin.unwrap_or(address)
    }

    /// Returns the distance of the allocated block that contains an address of the first trace.
    pub fn of_block(&self, address: u64) -> Option<u64> {
        let mut blocks = self.blocks.iter();
        let block = blocks.find(|(_, ranges)| contains(ranges, address));
        block.map(|(distance, _)| *distance)
    }

    /// Returns what two values have in common that differ only in pointers to the same thing: each
    /// of their words is equal, or a pair of such addresses. A word may hold the low half of a
    /// pointer to a part.
    pub fn of_pointers(&self, a: &Value, b: &Value) -> Option<PointerTarget> {
        self.of_bytes(&a.0, &b.0, |byte| *byte)
    }

    /// Returns the same for two values whose bytes are known.
    pub fn of_known(&self, a: &[u8], b: &[u8]) -> Option<PointerTarget> {
        self.of_bytes(a, b, |byte| Some(*byte))
    }

    fn of_bytes<B: PartialEq>(
        &self,
        a: &[B],
        b: &[B],
        known: impl Fn(&B) -> Option<u8>,
    ) -> Option<PointerTarget> {
        let number = |bytes: &[B]| {
            let mut bytes = bytes.iter().rev();
            bytes.try_fold(0, |number, byte| {
                Some(number << 8 | u64::from(known(byte)?))
            })
        };
        let mut found = None;
        for (one, other) in a.chunks(8).zip(b.chunks(8)) {
            if one != other {
                let (first, second) = number(one).zip(number(other))?;
                let target = self.of_words(first, second, one.len().min(other.len()))?;
                found.get_or_insert(target);
            }
        }
        found.filter(|_| a.len() == b.len())
    }

    fn of_words(&self, a: u64, b: u64, len_bytes: usize) -> Option<PointerTarget> {
        let whole = (len_bytes == 8).then(|| self.of_addresses(a, b)).flatten();
        if whole.is_some() {
            return whole;
        }
        let is_half = len_bytes >= 4 && a >> 32 == 0 && b >> 32 == 0;
        let half = is_half.then_some(b.wrapping_sub(a) as u32)?;
        let mut parts = self.parts.iter();
        let is_meant = |part: &&MovedPart| {
            let upper = [part.extent.start, part.extent.end].map(|end| end & !u64::from(u32::MAX));
            part.distance as u32 == half && upper.iter().any(|upper| self.is_in(part, upper | a))
        };
        let part = parts.find(is_meant)?;
        Some(PointerTarget::Part(part.distance))
    }
}

/// Returns the distance of an address from a range.
pub(crate) fn gap(range: &Range<u64>, address: u64) -> u64 {
    let after = address.saturating_add(1).saturating_sub(range.end);
    range.start.saturating_sub(address).max(after)
}

/// Sorts ranges and joins those that overlap.
pub(crate) fn merge(ranges: &mut Vec<Range<u64>>) {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges.drain(..) {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    *ranges = merged;
}

/// Returns true if one of some ranges, sorted and disjoint, contains an address.
fn contains(ranges: &[Range<u64>], address: u64) -> bool {
    let after = ranges.partition_point(|range| range.start <= address);
    let range = after.checked_sub(1).and_then(|place| ranges.get(place));
    range.is_some_and(|range| range.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_into_blocks_have_the_distance_of_their_block() {
        let distances = Distances {
            parts: vec![MovedPart {
                extent: 0x500_0000..0x500_8000,
                distance: 0x1000,
            }],
            unmoved: std::iter::once(0x500_a000..0x500_b000).collect(),
            blocks: BTreeMap::from([(0x30, vec![0x100..0x120, 0x200..0x220])]),
        };
        let check = |a: u64, b: u64, expected| {
            let value = |number: u64| Value(number.to_le_bytes().map(Some).to_vec());
            assert_eq!(distances.of_addresses(a, b), expected);
            assert_eq!(distances.of_pointers(&value(a), &value(b)), expected);
        };
        check(0x500_5000, 0x500_6000, Some(PointerTarget::Part(0x1000)));
        check(0x500_9000, 0x500_a000, Some(PointerTarget::Part(0x1000)));
        check(0x500_a000, 0x500_b000, None);
        check(0x5000, 0x6000, None);
        check(0x100, 0x130, Some(PointerTarget::Block));
        check(0x21f, 0x24f, Some(PointerTarget::Block));
        check(0x220, 0x250, None);
        check(0x90, 0xc0, None);
        check(0x100, 0x131, None);
        assert_eq!(distances.to_second(0x500_5000), 0x500_6000);
        assert_eq!(distances.to_first(0x500_6000), 0x500_5000);
        assert_eq!(distances.to_second(0x500_a800), 0x500_a800);
        assert_eq!(distances.to_first(0x110 + 0x30), 0x110);
    }
}
