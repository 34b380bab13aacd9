//! Functions that two compared traces call differently often ([`profile_differences`]).

use std::collections::{BTreeMap, HashSet};

use stepback_compare::Slides;
use stepback_index::answer::CallId;
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

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
/// Tail calls count if the images of both traces name the called functions. Cost: a pass over all
/// calls of both traces.
///
/// # Errors
/// See [`QueryError`].
pub fn profile_differences(
    a: &Index,
    b: &Index,
    slides: &Slides,
    cancel: &Cancel,
) -> Result<Vec<FunctionDifference>, QueryError> {
    let mut functions: BTreeMap<Address, FunctionDifference> = BTreeMap::new();
    let has_tail_calls = names_calls(a) && names_calls(b);
    let profile = |index: &Index| {
        let calls = match has_tail_calls {
            true => index.calls(),
            false => index.plain_calls(),
        };
        let whole = Position(0)..index.end();
        let profiled = ProfiledCalls {
            index,
            calls,
            unit: ProfileUnit::Steps,
        };
        profile_of(&profiled, &whole, &Progress::default(), cancel)
    };
    for used in profile(a)?.functions {
        let known = functions.entry(used.address).or_default();
        known.in_a.add(&used.totals);
    }
    for used in profile(b)?.functions {
        let function = Address(slides.to_first(used.address));
        let known = functions.entry(function).or_default();
        known.in_b.add(&used.totals);
    }
    let mut found: Vec<_> = functions
        .into_iter()
        .map(|(function, difference)| FunctionDifference {
            function,
            ..difference
        })
        .filter(|difference| difference.in_a != difference.in_b)
        .collect();
    let steps = |difference: &FunctionDifference| {
        let FunctionDifference { in_a, in_b, .. } = difference;
        in_a.self_steps.abs_diff(in_b.self_steps)
    };
    found.sort_by_key(|difference| std::cmp::Reverse(steps(difference)));
    Ok(found)
}
