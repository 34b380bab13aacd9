//! Interval map from addresses to the innermost of overlapping intervals.

use std::collections::BinaryHeap;

/// The address space cut into pieces, each with the innermost extent that covers it. A look-up is
/// O(log n).
#[derive(Clone, Debug, Default)]
pub struct Extents {
    /// Start and owner of each piece, sorted; a piece ends at the start of the next.
    pieces: Vec<(u64, Option<usize>)>,
}

/// An address interval with an owner.
#[derive(Clone, Copy, Debug)]
pub struct AddressExtent<R> {
    pub first: u64,
    /// Last address, inclusive.
    pub last: u64,
    /// Priority: where extents overlap, the one with the greatest rank is the owner.
    pub rank: R,
    /// Value that a look-up returns.
    pub owner: usize,
}

impl Extents {
    /// Cuts the address space in a sweep over the interval ends. O(n log n).
    pub fn new<R: Ord>(mut extents: Vec<AddressExtent<R>>) -> Self {
        extents.sort_unstable_by_key(|extent| extent.first);
        let ends = extents
            .iter()
            .filter_map(|extent| extent.last.checked_add(1));
        let mut cuts: Vec<u64> = extents
            .iter()
            .map(|extent| extent.first)
            .chain(ends)
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut pending = extents.into_iter().peekable();
        let mut open: BinaryHeap<OpenExtent<R>> = BinaryHeap::new();
        let mut pieces: Vec<(u64, Option<usize>)> = Vec::new();
        for start in cuts {
            open.extend(
                std::iter::from_fn(|| pending.next_if(|extent| extent.first <= start))
                    .map(OpenExtent),
            );
            while open.peek().is_some_and(|top| top.0.last < start) {
                open.pop();
            }
            let owner = open.peek().map(|top| top.0.owner);
            if pieces.last().map(|(_, last)| *last) != Some(owner) {
                pieces.push((start, owner));
            }
        }
        Self { pieces }
    }

    /// Returns the owner of an address. O(log n).
    pub fn owner_of(&self, address: u64) -> Option<usize> {
        let after = self.pieces.partition_point(|(start, _)| *start <= address);
        self.pieces.get(after.checked_sub(1)?)?.1
    }
}

/// Orders extents by rank only.
struct OpenExtent<R>(AddressExtent<R>);

impl<R: Ord> Ord for OpenExtent<R> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.rank.cmp(&other.0.rank)
    }
}

impl<R: Ord> PartialOrd for OpenExtent<R> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<R: Ord> PartialEq for OpenExtent<R> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<R: Ord> Eq for OpenExtent<R> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn extents(parts: &[(u64, u64, u8)]) -> Vec<AddressExtent<(u8, usize)>> {
        let one = |(owner, (first, last, rank)): (usize, &(u64, u64, u8))| AddressExtent {
            first: *first,
            last: *last,
            rank: (*rank, owner),
            owner,
        };
        parts.iter().enumerate().map(one).collect()
    }

    #[track_caller]
    fn check(parts: &[(u64, u64, u8)], address: u64, expected: Option<usize>) {
        assert_eq!(
            Extents::new(extents(parts)).owner_of(address),
            expected,
            "{address:#x}"
        );
    }

    #[test]
    fn the_outer_one_owns_what_the_inner_one_leaves() {
        let parts = [(10, 40, 0), (20, 25, 1)];
        for (address, expected) in [
            (9, None),
            (10, Some(0)),
            (20, Some(1)),
            (25, Some(1)),
            (26, Some(0)),
            (41, None),
        ] {
            check(&parts, address, expected);
        }
    }

    #[test]
    fn the_last_byte_of_the_address_space_can_be_owned() {
        check(&[(u64::MAX - 1, u64::MAX, 0)], u64::MAX, Some(0));
        check(&[(0, u64::MAX, 0)], u64::MAX, Some(0));
        check(&[(0, u64::MAX, 0)], 0, Some(0));
    }

    #[test]
    fn nothing_owns_anything_where_there_is_nothing() {
        check(&[], 0, None);
    }

    proptest! {
        #[test]
        fn the_owner_is_the_greatest_that_covers(
            parts in proptest::collection::vec((0u64..40, 0u64..20, 0u8..4), 0..12),
        ) {
            let parts: Vec<_> = parts.into_iter().map(|(first, more, rank)| (first, first + more, rank)).collect();
            let table = Extents::new(extents(&parts));
            for address in 0..64 {
                let covering = extents(&parts).into_iter().filter(|part| (part.first..=part.last).contains(&address));
                prop_assert_eq!(table.owner_of(address), covering.max_by_key(|part| part.rank).map(|part| part.owner));
            }
        }
    }
}
