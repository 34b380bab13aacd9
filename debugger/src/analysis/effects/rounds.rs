//! Detects the loops that control is in, from the addresses it returns to.

use std::collections::{HashMap, HashSet};

use stepback_machine::Address;

use super::own_path::PathStep;

/// The path of a frame without the finished iterations of loops.
///
/// An address that is reached again is the head of a loop, and the addresses in between are its
/// body. The head is therefore where control entered the loop, wherever the compiler placed the
/// code.
///
/// Memory: one entry per instruction of the function.
#[derive(Default)]
pub(super) struct LoopTracker {
    way: Vec<PathVisit>,
    places: HashMap<Address, usize>,
}

/// A step on the path.
struct PathVisit {
    at: PathStep,
    /// Addresses visited before control returned here.
    body: HashSet<Address>,
}

/// An iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoopIteration {
    /// First step of the iteration.
    pub head: PathStep,
    /// Addresses visited in earlier iterations.
    pub body: HashSet<Address>,
}

impl LoopTracker {
    /// Adds the next step.
    pub fn go_on(&mut self, at: PathStep) {
        let Some(place) = self.places.get(&at.pc).copied() else {
            self.places.insert(at.pc, self.way.len());
            self.way.push(PathVisit {
                at,
                body: HashSet::new(),
            });
            return;
        };
        let over = self.way.split_off(place + 1);
        let Some(head) = self.way.get_mut(place) else {
            return;
        };
        head.at = at;
        for visit in over {
            self.places.remove(&visit.at.pc);
            head.body.insert(visit.at.pc);
            head.body.extend(visit.body);
        }
    }

    /// Returns the start of the iteration that ends when control returns to `pc`; `None` if `pc` is
    /// not on the path.
    pub fn begun_at(&self, pc: Address) -> Option<PathStep> {
        self.places
            .get(&pc)
            .and_then(|place| self.way.get(*place))
            .map(|visit| visit.at)
    }

    /// Returns the innermost loop with a finished iteration that contains the last step.
    pub fn innermost(&self) -> Option<LoopIteration> {
        let here = self.way.last()?.at.pc;
        let is_in = |visit: &&PathVisit| {
            !visit.body.is_empty() && (visit.at.pc == here || visit.body.contains(&here))
        };
        let found = self.way.iter().rev().find(is_in)?;
        Some(LoopIteration {
            head: found.at,
            body: found.body.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Step;

    use super::*;

    fn gone(addresses: &[u64]) -> LoopTracker {
        let mut rounds = LoopTracker::default();
        for (step, pc) in (0..).zip(addresses) {
            rounds.go_on(PathStep {
                step: Step(step),
                pc: Address(*pc),
            });
        }
        rounds
    }

    #[track_caller]
    fn check(addresses: &[u64], expected: Option<(u64, u64)>) {
        let found = gone(addresses)
            .innermost()
            .map(|round| (round.head.pc.0, round.head.step.0));
        assert_eq!(found, expected, "{addresses:?}");
    }

    #[test]
    fn the_head_is_where_control_came_in_wherever_the_parts_lie() {
        check(&[1, 50, 51, 20, 21, 50, 51, 20], Some((50, 5)));
        check(&[1, 50, 51, 20, 21, 50], Some((50, 5)));
    }

    #[test]
    fn the_innermost_loop_counts_and_what_is_behind_one_is_in_none() {
        check(&[1, 2, 3, 4, 3, 4, 3], Some((3, 6)));
        check(&[1, 2, 3, 4, 3, 4, 5, 2, 3], Some((2, 7)));
        check(&[1, 2, 3, 2, 3, 4, 5], None);
    }

    #[test]
    fn a_round_ends_where_control_comes_back() {
        let rounds = gone(&[1, 2, 3, 4]);
        let begun = |pc| rounds.begun_at(Address(pc)).map(|at| at.step.0);
        assert_eq!([1, 3, 7].map(begun), [Some(0), Some(2), None]);
    }
}
