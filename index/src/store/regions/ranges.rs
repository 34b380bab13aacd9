//! Sets of addresses as merged ranges.

use std::collections::BTreeMap;

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
