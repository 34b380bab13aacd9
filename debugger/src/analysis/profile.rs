//! Number and cost of calls per function.

use std::collections::{BTreeMap, HashMap};

use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::activations::ActivationTree;
use super::call_profile::{FunctionUsage, Progress, call_profile};
use super::sites::Sites;
use crate::analysis::activations::{ActivationSpan, ActivationSpans};

/// A function with the cost of all its calls. A recursive call also counts within each enclosing
/// call of the function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionTotals {
    /// Address of its first step.
    pub function: Address,
    /// The address with bit 0 set for Thumb.
    pub pc: u64,
    /// First step of its first call.
    pub first: Step,
    /// Number of calls.
    pub calls: u64,
    /// Time from the first to the last moment of each call.
    pub time: u64,
    /// Time without that of callees.
    pub self_time: u64,
    /// Steps of the thread in each call.
    pub steps: u64,
    /// Steps without those of callees.
    pub self_steps: u64,
    /// Steps in outermost calls only, those not nested in another of the function.
    pub outer_steps: u64,
    /// Time in outermost calls only.
    pub outer_time: u64,
}

/// Profiles the functions over all CPUs, by address, as Arm's `tarmac-profile` does. Only calls
/// that returned count, and recursion counts in each call.
///
/// # Errors
/// See [`QueryError`].
pub fn profile(index: &Index, cancel: &Cancel) -> Result<Vec<FunctionTotals>, QueryError> {
    let mut profile = Profile::default();
    for tree in ActivationTree::all(index, cancel)? {
        ActivationSpans::new(&tree, index, cancel).for_each(|span| profile.enter(span))?;
        profile.leave_to(0);
    }
    Ok(profile.functions.into_values().collect())
}

/// Profiles the functions over all CPUs, by address. Every frame counts, as in the window. Calls
/// that never returned extend to the end of the trace, and recursion counts once.
///
/// # Errors
/// See [`QueryError`].
pub fn whole_profile(index: &Index, cancel: &Cancel) -> Result<Vec<FunctionTotals>, QueryError> {
    let sites = Sites::new(index, cancel);
    let profile = call_profile(
        index,
        &(Position(0)..index.end()),
        &Progress::default(),
        cancel,
    )?;
    let mut functions = Vec::with_capacity(profile.functions.len());
    for used in &profile.functions {
        let entry = index
            .calls()
            .get(used.example)
            .and_then(|call| call.entry_step);
        let pc = marked_pc(used, &sites, index)?;
        let totals = used.totals;
        let (time, self_time) = match profile.has_clock {
            true => (totals.time, totals.own_time),
            false => (totals.steps, totals.own_steps),
        };
        functions.push(FunctionTotals {
            function: used.address,
            pc,
            first: entry.unwrap_or(Step(used.first.0)),
            calls: totals.calls,
            time,
            self_time,
            steps: totals.steps,
            self_steps: totals.own_steps,
            outer_steps: totals.steps,
            outer_time: time,
        });
    }
    functions.sort_by_key(|function| function.pc);
    Ok(functions)
}

/// Returns the address of a function, with bit 0 set for Thumb.
///
/// # Errors
/// See [`QueryError`].
pub fn marked_pc(
    used: &FunctionUsage,
    sites: &Sites<'_>,
    index: &Index,
) -> Result<u64, QueryError> {
    let entry = index
        .calls()
        .get(used.example)
        .and_then(|call| call.entry_step);
    Ok(entry
        .map(|entry| sites.border(entry))
        .transpose()?
        .map_or(used.address.0, |(_, at)| at.pc))
}

/// Sums over the calls that have ended.
#[derive(Debug, Default)]
struct Profile {
    /// By the address with bit 0 set for Thumb.
    functions: BTreeMap<u64, FunctionTotals>,
    /// Number of open calls per function.
    depths: HashMap<u64, u32>,
    /// Open calls, each with the time and steps of its callees.
    open: Vec<(ActivationSpan, u64, u64)>,
}

impl Profile {
    fn enter(&mut self, span: &ActivationSpan) {
        self.leave_to(span.depth);
        *self.depths.entry(span.pc).or_default() += 1;
        self.open.push((*span, 0, 0));
    }

    /// Ends all calls at this depth and deeper.
    fn leave_to(&mut self, depth: u32) {
        while let Some((span, time_inside, steps_inside)) =
            self.open.pop_if(|(span, ..)| span.depth >= depth)
        {
            let time = span.duration();
            let ActivationSpan {
                function,
                pc,
                entry: first,
                ..
            } = span;
            let new = || FunctionTotals {
                function,
                pc,
                first,
                ..FunctionTotals::default()
            };
            let totals = self.functions.entry(pc).or_insert_with(new);
            totals.first = totals.first.min(first);
            totals.calls += 1;
            if self.depths.get_mut(&pc).is_some_and(|depth| {
                *depth -= 1;
                *depth == 0
            }) {
                totals.outer_steps = totals.outer_steps.saturating_add(span.steps);
                totals.outer_time = totals.outer_time.saturating_add(time);
            }
            totals.time = totals.time.saturating_add(time);
            totals.steps = totals.steps.saturating_add(span.steps);
            totals.self_time = totals
                .self_time
                .saturating_add(time.saturating_sub(time_inside));
            totals.self_steps = totals
                .self_steps
                .saturating_add(span.steps.saturating_sub(steps_inside));
            if let Some((_, time_inside, steps_inside)) = self.open.last_mut() {
                *time_inside = time_inside.saturating_add(time);
                *steps_inside = steps_inside.saturating_add(span.steps);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(depth: u32, pc: u64, times: (u64, u64)) -> ActivationSpan {
        let entry = Step(times.0);
        ActivationSpan {
            depth,
            function: Address(pc),
            pc,
            entry,
            entry_time: times.0,
            exit_time: times.1,
            steps: times.1 - times.0 + 1,
            counts_steps: false,
        }
    }

    #[test]
    fn recursion_counts_in_each_call_and_own_times_add_up() {
        let mut profile = Profile::default();
        let spans = [
            span(0, 1, (0, 99)),
            span(1, 2, (10, 39)),
            span(2, 2, (20, 29)),
            span(1, 3, (50, 59)),
            span(1, 3, (70, 70)),
        ];
        spans.iter().for_each(|span| profile.enter(span));
        profile.leave_to(0);
        let of = |pc: u64| profile.functions[&pc];
        let totals = |pc: u64| (of(pc).calls, of(pc).time, of(pc).self_time);
        assert_eq!(
            [totals(1), totals(2), totals(3)],
            [(1, 100, 59), (2, 40, 30), (2, 11, 11)]
        );
        // The inner call of 2 is part of the outer one.
        let (first, totals) = (profile.functions[&2].first, of(2));
        assert_eq!(
            (first, totals.outer_time, totals.outer_steps),
            (Step(10), 30, 30)
        );
        assert_eq!(
            profile
                .functions
                .values()
                .map(|function| function.self_steps)
                .sum::<u64>(),
            100
        );
    }
}
