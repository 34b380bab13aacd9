//! Problems of a segment's input, and their places.

use foldhash::HashMap;
use stepback_parsers::{Problem, ProblemKind, Recurrence};

use crate::answers::index_info::WARNINGS_KEPT;
use crate::builder::segment::sealed::{SealedSegment, SegmentProblem};
use crate::store::segment::meta::{DAMAGED_PLACES, SlotRange};

/// Maximum number of distinct kinds of problems of a segment; more are only counted.
const PROBLEM_KINDS: usize = 8 * WARNINGS_KEPT;

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct ProblemColumns {
    problems: Vec<SegmentProblem>,
    count: u64,
    /// Place of each kind of problem.
    kinds: HashMap<ProblemKind, usize>,
    damaged: DamagedPlaces,
}

impl ProblemColumns {
    /// Begins a segment.
    pub fn clear(&mut self) {
        self.problems.clear();
        self.count = 0;
        self.kinds.clear();
        self.damaged.take();
    }

    /// Records a problem in a slot.
    pub fn push(&mut self, slot: u32, problem: &Problem) {
        let Problem {
            place,
            column,
            kind,
        } = problem;
        let recurrence = kind.recurrence();
        self.count += u64::from(recurrence != Recurrence::OnceARun);
        let known = self
            .kinds
            .get(kind)
            .and_then(|place| self.problems.get_mut(*place));
        if known.is_none() || recurrence == Recurrence::Single {
            self.damaged.add(slot);
        }
        if let Some(known) = known {
            known.count += 1;
        } else if self.problems.len() < PROBLEM_KINDS {
            self.kinds.insert(kind.clone(), self.problems.len());
            self.problems.push(SegmentProblem {
                slot,
                line: place.line_in_range,
                column: *column,
                kind: kind.clone(),
                count: 1,
            });
        }
    }

    /// Hands over the problems.
    pub fn finish(&mut self, sealed: &mut SealedSegment) {
        sealed.problems = std::mem::take(&mut self.problems);
        sealed.problem_count = self.count;
        sealed.meta.damaged = self.damaged.take();
    }
}

/// Slots with unreadable input: a bounded number of ranges.
#[derive(Debug, Default)]
struct DamagedPlaces(Vec<SlotRange>);

impl DamagedPlaces {
    /// Adds a slot that is not before the last one.
    pub fn add(&mut self, slot: u32) {
        if let Some(last) = self
            .0
            .last_mut()
            .filter(|last| slot.saturating_sub(last.last) <= 1)
        {
            last.last = last.last.max(slot);
            return;
        }
        self.0.push(SlotRange {
            first: slot,
            last: slot,
        });
        if self.0.len() > DAMAGED_PLACES {
            self.join_nearest();
        }
    }

    /// Takes the ranges.
    pub fn take(&mut self) -> Vec<SlotRange> {
        std::mem::take(&mut self.0)
    }

    fn join_nearest(&mut self) {
        let gaps = self
            .0
            .iter()
            .zip(self.0.iter().skip(1))
            .map(|(before, behind)| behind.first - before.last);
        let Some((place, _)) = gaps.enumerate().min_by_key(|(_, gap)| *gap) else {
            return;
        };
        let behind = self.0.remove(place + 1);
        self.0[place].last = behind.last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_places_are_taken_together_when_there_are_too_many() {
        let mut places = DamagedPlaces::default();
        let far = (0..DAMAGED_PLACES as u32 - 1).map(|place| 1000 * place);
        let near = (0..5000).map(|place| 200_000 + 2 * place);
        far.clone().chain(near).for_each(|slot| places.add(slot));
        let expected = far.map(|slot| SlotRange {
            first: slot,
            last: slot,
        });
        let expected = expected.chain([SlotRange {
            first: 200_000,
            last: 209_998,
        }]);
        assert_eq!(places.take(), expected.collect::<Vec<_>>());
        assert_eq!(places.take(), []);
    }

    #[test]
    fn slots_that_follow_each_other_are_one_place() {
        let mut places = DamagedPlaces::default();
        [0, 3, 3, 4, 9]
            .into_iter()
            .for_each(|slot| places.add(slot));
        let ranges = [(0, 0), (3, 4), (9, 9)].map(|(first, last)| SlotRange { first, last });
        assert_eq!(places.take(), ranges);
    }
}
