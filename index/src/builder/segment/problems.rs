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
    /// Slots with unreadable input: a bounded number of ranges.
    damaged: Vec<SlotRange>,
}

impl ProblemColumns {
    /// Begins a segment.
    pub fn clear(&mut self) {
        self.problems.clear();
        self.count = 0;
        self.kinds.clear();
        self.damaged.clear();
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
            add_damaged(&mut self.damaged, slot);
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
        sealed.meta.damaged = std::mem::take(&mut self.damaged);
    }
}

/// Adds a slot that is not before the last one.
fn add_damaged(damaged: &mut Vec<SlotRange>, slot: u32) {
    if let Some(last) = damaged
        .last_mut()
        .filter(|last| slot.saturating_sub(last.last) <= 1)
    {
        last.last = last.last.max(slot);
        return;
    }
    damaged.push(SlotRange {
        first: slot,
        last: slot,
    });
    if damaged.len() > DAMAGED_PLACES {
        join_nearest(damaged);
    }
}

fn join_nearest(damaged: &mut Vec<SlotRange>) {
    let gaps = damaged
        .iter()
        .zip(damaged.iter().skip(1))
        .map(|(before, after)| after.first - before.last);
    let Some((place, _)) = gaps.enumerate().min_by_key(|(_, gap)| *gap) else {
        return;
    };
    let after = damaged.remove(place + 1);
    damaged[place].last = after.last;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_places_are_taken_together_when_there_are_too_many() {
        let mut places = Vec::new();
        let far = (0..DAMAGED_PLACES as u32 - 1).map(|place| 1000 * place);
        let near = (0..5000).map(|place| 200_000 + 2 * place);
        far.clone()
            .chain(near)
            .for_each(|slot| add_damaged(&mut places, slot));
        let expected = far.map(|slot| SlotRange {
            first: slot,
            last: slot,
        });
        let expected = expected.chain([SlotRange {
            first: 200_000,
            last: 209_998,
        }]);
        assert_eq!(places, expected.collect::<Vec<_>>());
    }

    #[test]
    fn slots_that_follow_each_other_are_one_place() {
        let mut places = Vec::new();
        [0, 3, 3, 4, 9]
            .into_iter()
            .for_each(|slot| add_damaged(&mut places, slot));
        let ranges = [(0, 0), (3, 4), (9, 9)].map(|(first, last)| SlotRange { first, last });
        assert_eq!(places, ranges);
    }
}
