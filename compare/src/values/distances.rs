//! Distances between things in the second trace and the same things in the first ([`Distances`]).

use std::collections::BTreeMap;
use std::ops::Range;

use stepback_index::answer::Value;

/// Distances between things in the second trace and the same in the first, modulo 2^64, without 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distances {
    /// Distances of whole parts of the address space.
    pub parts: Vec<u64>,
    /// Ranges of the first trace, sorted and disjoint, of allocated blocks that have other distances.
    pub blocks: BTreeMap<u64, Vec<Range<u64>>>,
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

    /// Returns what two different addresses have in common.
    pub fn of_addresses(&self, a: u64, b: u64) -> Option<PointerTarget> {
        let distance = b.wrapping_sub(a);
        if self.parts.contains(&distance) {
            return Some(PointerTarget::Part(distance));
        }
        let ranges = self.blocks.get(&distance)?;
        contains(ranges, a).then_some(PointerTarget::Block)
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
        let mut known = self.parts.iter();
        known
            .find(|known| **known as u32 == half)
            .map(|known| PointerTarget::Part(*known))
    }
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
            parts: vec![0x1000],
            blocks: BTreeMap::from([(0x30, vec![0x100..0x120, 0x200..0x220])]),
        };
        let check = |a: u64, b: u64, expected| {
            let value = |number: u64| Value(number.to_le_bytes().map(Some).to_vec());
            assert_eq!(distances.of_addresses(a, b), expected);
            assert_eq!(distances.of_pointers(&value(a), &value(b)), expected);
        };
        check(0x5000, 0x6000, Some(PointerTarget::Part(0x1000)));
        check(0x100, 0x130, Some(PointerTarget::Block));
        check(0x21f, 0x24f, Some(PointerTarget::Block));
        check(0x220, 0x250, None);
        check(0x90, 0xc0, None);
        check(0x100, 0x131, None);
    }
}
