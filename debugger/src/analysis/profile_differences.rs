//! Functions that two compared traces call differently often ([`profile_differences`]).

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use foldhash::HashMap;
use stepback_compare::{Comparison, RegionKind};
use stepback_index::answer::{CallId, CallTable};
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::analysis::call_profile::{CallTotals, ProfileUnit, ProfiledCalls, Progress, profile_of};

/// A function with other numbers of calls or steps in the second trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionDifference {
    /// Address in the first trace.
    pub function: Address,
    pub in_a: FunctionCost,
    pub in_b: FunctionCost,
}

/// Cost of a function in one trace; zero if it never ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionCost {
    /// Number of calls.
    pub calls: u64,
    /// Steps without those of callees.
    pub self_steps: u64,
}

impl FunctionCost {
    fn add(&mut self, totals: &CallTotals) {
        self.calls += totals.calls;
        self.self_steps += totals.own_steps;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            self_steps: self.self_steps + other.self_steps,
        }
    }
}

impl FunctionDifference {
    /// Returns true if the numbers of calls differ.
    pub fn has_other_calls(&self) -> bool {
        self.in_a.calls != self.in_b.calls
    }
}

/// Returns true if a program image names the functions that the trace calls: most of them.
fn names_calls(index: &Index) -> bool {
    let parts = index.program().functions().iter();
    let named: HashSet<u64> = parts.map(|part| part.function).collect();
    if named.is_empty() {
        return false;
    }
    let calls = index.plain_calls();
    let called = (0..calls.len()).filter_map(|id| calls.get(CallId(id)));
    let called: HashSet<u64> = called
        .filter(|call| call.parent.is_some())
        .map(|call| call.function.0)
        .collect();
    2 * called.intersection(&named).count() > called.len()
}

/// Returns the functions with different costs, those with the greatest difference of steps first.
/// Tail calls count if the images of both traces name the called functions. Cost: a pass over the
/// calls of both traces after their equal starts; if functions differ, a quick one over the calls
/// before, too.
///
/// # Errors
/// See [`QueryError`].
pub fn profile_differences(
    a: &Index,
    b: &Index,
    comparison: &Comparison,
    cancel: &Cancel,
) -> Result<Vec<FunctionDifference>, QueryError> {
    let slides = &comparison.slides;
    let mut functions: BTreeMap<Address, FunctionDifference> = BTreeMap::new();
    let has_tail_calls = names_calls(a) && names_calls(b);
    let (in_a, in_b) = match has_tail_calls {
        true => (a.calls(), b.calls()),
        false => (a.plain_calls(), b.plain_calls()),
    };
    let start = equal_start(comparison).and_then(|end| {
        let (one, other) = (CallsBefore::find(in_a, end)?, CallsBefore::find(in_b, end)?);
        let translate = |address| Address(slides.to_first(address));
        one.are_same(&other, translate).then_some(one)
    });
    let from = start.as_ref().map_or(Position(0), |start| start.until);
    let profile = |index: &Index, calls: &CallTable| {
        let profiled = ProfiledCalls {
            index,
            calls,
            unit: ProfileUnit::Steps,
        };
        let part = from..index.end();
        profile_of(&profiled, &part, &Progress::default(), cancel)
    };
    for used in profile(a, in_a)?.functions {
        let known = functions.entry(used.address).or_default();
        known.in_a.add(&used.totals);
    }
    for used in profile(b, in_b)?.functions {
        let function = Address(slides.to_first(used.address));
        let known = functions.entry(function).or_default();
        known.in_b.add(&used.totals);
    }
    functions.retain(|_, difference| difference.in_a != difference.in_b);
    let costs = start.filter(|_| !functions.is_empty());
    let costs = costs.map(|start| start.costs(cancel)).transpose()?;
    let mut found: Vec<_> = functions
        .into_iter()
        .map(|(function, difference)| {
            let before = costs.as_ref().and_then(|costs| costs.get(&function));
            let before = before.copied().unwrap_or_default();
            FunctionDifference {
                function,
                in_a: difference.in_a.plus(before),
                in_b: difference.in_b.plus(before),
            }
        })
        .collect();
    let steps = |difference: &FunctionDifference| {
        let FunctionDifference { in_a, in_b, .. } = difference;
        in_a.self_steps.abs_diff(in_b.self_steps)
    };
    found.sort_by_key(|difference| std::cmp::Reverse(steps(difference)));
    Ok(found)
}

/// Returns the position before the last step with which both traces begin, if each has one thread:
/// that step may call another function in each.
fn equal_start(comparison: &Comparison) -> Option<Position> {
    let [threads] = comparison.compared.as_slice() else {
        return None;
    };
    let others = &comparison.threads;
    let is_alone = others.only_in_a.is_empty() && others.only_in_b.is_empty();
    let first = threads.alignment.regions().first()?;
    let is_start = first.kind == RegionKind::Same && (first.a.start, first.b.start) == (0, 0);
    (is_alone && is_start).then_some(Position(first.a.end.saturating_sub(1)))
}

/// The frames of a trace with one stack that begin before a position.
struct CallsBefore<'a> {
    calls: &'a CallTable,
    until: Position,
    /// Those of them that have ended, and those in `open`.
    frames: Range<u64>,
    /// Frames that are on the stack at the position, outermost first.
    open: Vec<CallId>,
}

impl<'a> CallsBefore<'a> {
    /// Finds the frames. `None` if the trace has several stacks.
    fn find(calls: &'a CallTable, until: Position) -> Option<Self> {
        let stacks = calls.stacks();
        let [stack] = stacks.as_slice() else {
            return None;
        };
        let after = calls.frames_within(stack, &(until..Position(u64::MAX)));
        Some(Self {
            calls,
            until,
            frames: stack.frames.start..after.called.start,
            open: after.around,
        })
    }

    /// Returns true if both have as many frames, and frames of the same functions are open.
    fn are_same(&self, other: &Self, in_first: impl Fn(Address) -> Address) -> bool {
        let function = |calls: &CallTable, id: &CallId| calls.get(*id).map(|call| call.function);
        let one = self.open.iter().map(|id| function(self.calls, id));
        let others = other.open.iter();
        let others = others.map(|id| function(other.calls, id).map(&in_first));
        self.frames == other.frames && one.eq(others)
    }

    /// Returns the cost of each function before the position, without the calls of open frames.
    fn costs(&self, cancel: &Cancel) -> Result<HashMap<Address, FunctionCost>, QueryError> {
        let mut costs: HashMap<Address, FunctionCost> = HashMap::default();
        let mut open: Vec<(Position, Address)> = Vec::new();
        let mut at = Position(0);
        for id in self.frames.clone().map(CallId) {
            cancel.check()?;
            let begin = self.calls.begin_of(id);
            let Some((call, begin)) = self.calls.get(id).zip(begin) else {
                continue;
            };
            run_to(begin, &mut at, &mut open, &mut costs);
            let end = call.exit_step.map_or(Position(u64::MAX), Step::after);
            let around = open.last().map_or(end, |(around, _)| *around);
            open.push((end.min(around).max(begin), call.function));
        }
        run_to(self.until, &mut at, &mut open, &mut costs);
        Ok(costs)
    }
}

/// Adds the steps from a position to another to the functions that ran there, and the calls that
/// ended.
fn run_to(
    until: Position,
    at: &mut Position,
    open: &mut Vec<(Position, Address)>,
    costs: &mut HashMap<Address, FunctionCost>,
) {
    while let Some((end, function)) = open.pop_if(|(end, _)| *end <= until) {
        let cost = costs.entry(function).or_default();
        cost.calls += 1;
        cost.self_steps += end.0.saturating_sub(at.0);
        *at = end.max(*at);
    }
    if let Some((_, function)) = open.last() {
        costs.entry(*function).or_default().self_steps += until.0.saturating_sub(at.0);
    }
    *at = until.max(*at);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use stepback_compare::Tolerances;

    use super::*;
    use crate::analysis::call_profile::call_profile;
    use crate::analysis::compare_traces::compare_traces;
    use crate::session::test_session::{overflow, tarmac};

    /// Returns calls and own steps of each function in the whole trace.
    fn whole(index: &Index) -> BTreeMap<Address, FunctionCost> {
        let part = Position(0)..index.end();
        let profile = call_profile(index, &part, &Progress::default(), &Cancel::default());
        let used = profile.unwrap().functions.into_iter();
        let cost = |totals: CallTotals| FunctionCost {
            calls: totals.calls,
            self_steps: totals.own_steps,
        };
        used.map(|used| (used.address, cost(used.totals))).collect()
    }

    /// Compares a trace with its beginning.
    #[track_caller]
    fn check(steps: usize) {
        let text = include_str!("../../../fixtures/overflow_bare.tiny.tarmac");
        let mut left = steps;
        let lines = text.split_inclusive('\n').take_while(|line| {
            left -= usize::from(line.contains(" IT (") && left > 0);
            left > 0
        });
        let (a, (b, _place)) = (overflow(), tarmac(&lines.collect::<String>()));
        let (cancel, progress) = (Cancel::default(), AtomicU64::default());
        let found = compare_traces(&a, &b, Tolerances::default(), &progress, &cancel).unwrap();
        let found = profile_differences(&a.index, &b.index, &found, &cancel).unwrap();
        let (in_a, in_b) = (whole(&a.index), whole(&b.index));
        let differing = in_a
            .iter()
            .filter(|(function, _)| in_a.get(function) != in_b.get(function));
        assert_eq!(found.len(), differing.count(), "{steps}");
        for difference in found {
            let cost = |costs: &BTreeMap<Address, FunctionCost>| {
                costs.get(&difference.function).copied().unwrap_or_default()
            };
            assert_eq!(difference.in_a, cost(&in_a), "{steps}: {difference:?}");
            assert_eq!(difference.in_b, cost(&in_b), "{steps}: {difference:?}");
        }
    }

    #[test]
    fn costs_are_those_of_whole_traces_after_an_equal_start() {
        for steps in [2, 60, 300, 734, 1300, 1600, 1762] {
            check(steps);
        }
    }
}
