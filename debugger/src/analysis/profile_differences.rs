//! Functions that two compared traces call differently often ([`profile_differences`]).

use std::collections::BTreeMap;

use stepback_compare::Slides;
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::Address;

use crate::analysis::profile::whole_profile;

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

impl FunctionDifference {
    /// Returns true if the numbers of calls differ.
    pub fn has_other_calls(&self) -> bool {
        self.in_a.calls != self.in_b.calls
    }
}

/// Returns the functions with different costs, those with the greatest difference of steps first.
/// Cost: a pass over all calls of both traces.
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
    for totals in whole_profile(a, cancel)? {
        let known = functions.entry(totals.function).or_default();
        known.in_a.calls += totals.calls;
        known.in_a.self_steps += totals.self_steps;
    }
    for totals in whole_profile(b, cancel)? {
        let function = Address(slides.to_first(totals.function));
        let known = functions.entry(function).or_default();
        known.in_b.calls += totals.calls;
        known.in_b.self_steps += totals.self_steps;
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
