//! Ranges of addresses, merged where they meet.

use std::collections::BTreeMap;

/// A set of addresses: the last of each run by its first.
#[derive(Clone, Debug, Default)]
pub struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds the addresses from `first` to `last`. O(log n) for each run that they meet, which are then one.
    pub fn add(&mut self, (mut first, mut last): (u64, u64)) {
        loop {
            let met = self.meeting((first, last)).next();
            let Some((start, end)) = met else { break };
            if start <= first && last <= end {
                return;
            }
            self.0.remove(&start);
            (first, last) = (first.min(start), last.max(end));
        }
        self.0.insert(first, last);
    }

    /// The runs that meet a range, descending. O(log n) for the first.
    pub fn meeting(&self, (first, last): (u64, u64)) -> impl Iterator<Item = (u64, u64)> {
        let runs = self.0.range(..=last).rev().map(|(start, end)| (*start, *end));
        runs.take_while(move |(_, end)| first <= *end)
    }

    /// All runs, ascending.
    pub fn into_runs(self) -> impl Iterator<Item = (u64, u64)> {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_become_one() {
        let mut ranges = Ranges::default();
        for range in [(10, 19), (30, 39), (0, 3), (15, 15), (19, 30), (5, 5), (u64::MAX, u64::MAX)] {
            ranges.add(range);
        }
        assert_eq!(ranges.meeting((4, 9)).collect::<Vec<_>>(), [(5, 5)]);
        assert_eq!(ranges.meeting((3, 12)).collect::<Vec<_>>(), [(10, 39), (5, 5), (0, 3)]);
        assert_eq!(ranges.meeting((40, 99)).count(), 0);
        assert_eq!(ranges.into_runs().collect::<Vec<_>>(), [(0, 3), (5, 5), (10, 39), (u64::MAX, u64::MAX)]);
    }
}
