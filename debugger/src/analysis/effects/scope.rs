//! Selects the steps to examine: a call, a loop iteration or a range.
//!
//! Loops are recognised from the addresses that control returns to, not from the code. This needs
//! no image, and works wherever the compiler placed the loop.

use std::collections::{HashMap, HashSet};
use std::iter::successors;

use stepback_index::answer::{CallId, ThreadId};
use stepback_index::query::NearestStepOf;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::analysis::effects::own_path::{FramePath, PathStep};

/// Steps of a thread between two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectScope {
    pub thread: ThreadId,
    /// Position before the first step.
    pub from: Position,
    /// Position after the last step.
    pub to: Position,
    /// The call itself, or the one that contains the loop.
    pub call: Option<CallId>,
    /// Address of the loop head, for an iteration.
    pub head: Option<Address>,
}

/// Returns the steps of a call. O(1).
pub fn call_scope(index: &Index, id: CallId) -> Option<EffectScope> {
    let (first, last) = index.calls().steps_inside(id)?;
    let thread = index.calls().get(id)?.thread;
    Some(EffectScope {
        thread,
        from: first.before(),
        to: last.after(),
        call: Some(id),
        head: None,
    })
}

/// Returns the innermost call with steps around a position, if known: after a jump to an address
/// without code, the caller. Without a thread, that of the last step before the position is used.
///
/// # Errors
/// See [`QueryError`].
pub fn call_around(
    index: &Index,
    thread: Option<ThreadId>,
    at: Position,
) -> Result<Option<EffectScope>, QueryError> {
    let thread = thread_of(index, thread, at)?;
    let calls = index.calls();
    let mut outwards = successors(calls.innermost_at(thread, at), |id| calls.get(*id)?.parent);
    Ok(outwards.find_map(|id| call_scope(index, id)))
}

/// Returns the innermost call of a function around a position, in the thread of the last step
/// before it.
///
/// # Errors
/// See [`QueryError`].
pub fn call_of_function_around(
    index: &Index,
    function: Address,
    at: Position,
) -> Result<Option<EffectScope>, QueryError> {
    let thread = thread_of(index, None, at)?;
    let calls = index.calls();
    let is_wanted = |id: &CallId| calls.get(*id).is_some_and(|call| call.function == function);
    let around = calls.path_at(thread, at).into_iter().rev().find(is_wanted);
    Ok(around.and_then(|id| call_scope(index, id)))
}

/// Returns the steps of a thread between two positions. Without a thread, that of the first step is
/// used.
///
/// # Errors
/// See [`QueryError`].
pub fn range_scope(
    index: &Index,
    thread: Option<ThreadId>,
    from: Position,
    to: Position,
) -> Result<EffectScope, QueryError> {
    let (from, to) = (from.min(to), from.max(to));
    let thread = thread_of(index, thread, from.next_step().after().min(index.end()))?;
    Ok(EffectScope {
        thread,
        from,
        to,
        call: None,
        head: None,
    })
}

/// Returns the iteration of the innermost loop around a position: from one visit of its head to the
/// next. The last iteration ends where control leaves the loop. Loops are detected within one call,
/// from the addresses that control returns to (`LoopTracker`).
///
/// Cost: the function's own steps from its entry to the end of the iteration; for the last
/// iteration, to the end of the function.
///
/// # Errors
/// See [`QueryError`].
pub fn iteration_around(
    index: &Index,
    thread: Option<ThreadId>,
    at: Position,
    cancel: &Cancel,
) -> Result<Option<EffectScope>, QueryError> {
    let thread = thread_of(index, thread, at)?;
    let Some(mut here) = NearestStepOf::next(thread, at).run(index, cancel)? else {
        return Ok(None);
    };
    // If the innermost call has no loop, search the loop that it was called in.
    let mut frame = index.calls().innermost_at(thread, at);
    while let Some(id) = frame {
        if let Some(found) = round_of(index, id, here, cancel)? {
            return Ok(Some(found));
        }
        let Some(call) = index.calls().get(id) else {
            break;
        };
        (frame, here) = (call.parent, call.call_step.unwrap_or(here));
    }
    Ok(None)
}

/// Returns the iteration that contains a step of the frame itself.
fn round_of(
    index: &Index,
    frame: CallId,
    here: Step,
    cancel: &Cancel,
) -> Result<Option<EffectScope>, QueryError> {
    let Some(call) = call_scope(index, frame).filter(|call| here.after() <= call.to) else {
        return Ok(None);
    };
    let Some(mut path) = FramePath::of(frame, index, cancel) else {
        return Ok(None);
    };
    let mut rounds = LoopTracker::default();
    let here = loop {
        let Some(at) = path.next_step()? else {
            return Ok(None);
        };
        rounds.go_on(at);
        if at.step >= here {
            break at;
        }
    };
    let left = rounds.innermost();
    let (mut is_inside, mut left_at) = (true, here.step);
    while let Some(next) = path.next_step()? {
        if let Some(head) = rounds.begun_at(next.pc) {
            return Ok(Some(EffectScope {
                from: head.step.before(),
                to: next.step.before(),
                head: Some(head.pc),
                ..call
            }));
        }
        is_inside &= left
            .as_ref()
            .is_some_and(|round| round.body.contains(&next.pc));
        left_at = if is_inside { next.step } else { left_at };
    }
    Ok(left.map(|PathVisit { at, .. }| EffectScope {
        from: at.step.before(),
        to: left_at.after(),
        head: Some(at.pc),
        ..call
    }))
}

fn thread_of(
    index: &Index,
    thread: Option<ThreadId>,
    at: Position,
) -> Result<ThreadId, QueryError> {
    match thread {
        Some(thread) => Ok(thread),
        None => SlotReader(index).thread_at(at),
    }
}

/// The path of a frame without the finished iterations of loops.
///
/// An address that is reached again is the head of a loop, and the addresses in between are its
/// body. The head is therefore where control entered the loop, wherever the compiler placed the
/// code.
///
/// Memory: one entry per instruction of the function.
#[derive(Default)]
pub(super) struct LoopTracker {
    direction: Vec<PathVisit>,
    places: HashMap<Address, usize>,
}

/// A step on the path; one that control returned to begins an iteration of a loop.
#[derive(Clone)]
pub(super) struct PathVisit {
    at: PathStep,
    /// Addresses visited before control returned here, in earlier iterations.
    body: HashSet<Address>,
}

impl LoopTracker {
    /// Adds the next step.
    pub fn go_on(&mut self, at: PathStep) {
        let Some(place) = self.places.get(&at.pc).copied() else {
            self.places.insert(at.pc, self.direction.len());
            self.direction.push(PathVisit {
                at,
                body: HashSet::new(),
            });
            return;
        };
        let over = self.direction.split_off(place + 1);
        let Some(head) = self.direction.get_mut(place) else {
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
            .and_then(|place| self.direction.get(*place))
            .map(|visit| visit.at)
    }

    /// Returns the innermost loop with a finished iteration that contains the last step.
    pub fn innermost(&self) -> Option<PathVisit> {
        let here = self.direction.last()?.at.pc;
        let is_in = |visit: &&PathVisit| {
            !visit.body.is_empty() && (visit.at.pc == here || visit.body.contains(&here))
        };
        self.direction.iter().rev().find(is_in).cloned()
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
            .map(|round| (round.at.pc.0, round.at.step.0));
        assert_eq!(found, expected, "{addresses:?}");
    }

    #[test]
    fn the_head_is_where_control_came_in_wherever_the_parts_lie() {
        check(&[1, 50, 51, 20, 21, 50, 51, 20], Some((50, 5)));
        check(&[1, 50, 51, 20, 21, 50], Some((50, 5)));
    }

    #[test]
    fn the_innermost_loop_counts_and_what_is_after_one_is_in_none() {
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
