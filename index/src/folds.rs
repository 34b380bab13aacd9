//! Rows <-> steps under any set of folded calls.

use std::collections::BTreeSet;

use stepback_parsers::Step;

use crate::{CallId, CallTable, Entered};

/// A row of a trace list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A step.
    Step(Step),
    /// The steps of a folded call, in one row after the step that called.
    Folded {
        /// Which call.
        call: CallId,
        /// Its first hidden step.
        first: Step,
        /// Its last hidden step.
        last: Step,
    },
}

/// A set of folded calls over the steps of a trace. Row <-> step is O(log folds), a change O(folds).
///
/// Example: of 10 steps, call 3 with the steps 4 to 6 folded leaves 8 rows: steps 0 to 3, one row for 4 to 6, steps 7 to 9.
#[derive(Clone, Debug, Default)]
pub struct FoldSet {
    step_count: u64,
    folded: BTreeSet<CallId>,
    /// The folds that are not inside others, by first step.
    runs: Vec<Run>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    call: CallId,
    first: u64,
    last: u64,
    /// Rows before the run's row.
    row: u64,
}

impl FoldSet {
    /// Nothing folded, over so many steps.
    pub fn new(step_count: u64) -> Self {
        Self { step_count, ..Self::default() }
    }

    /// Number of rows.
    pub fn row_count(&self) -> u64 {
        self.runs.last().map_or(self.step_count, |run| run.row + 1 + self.step_count.saturating_sub(run.last + 1))
    }

    /// What a row shows; none beyond the last.
    pub fn row(&self, row: u64) -> Option<Row> {
        if row >= self.row_count() {
            return None;
        }
        let before = self.runs.partition_point(|run| run.row <= row);
        let Some(run) = before.checked_sub(1).map(|number| self.runs[number]) else {
            return Some(Row::Step(Step(row)));
        };
        Some(match row - run.row {
            0 => Row::Folded { call: run.call, first: Step(run.first), last: Step(run.last) },
            rows => Row::Step(Step(run.last + rows)),
        })
    }

    /// The row that shows a step, or the folded row that hides it.
    pub fn row_of(&self, step: Step) -> u64 {
        let before = self.runs.partition_point(|run| run.first <= step.0);
        let Some(run) = before.checked_sub(1).map(|number| self.runs[number]) else { return step.0 };
        run.row + step.0.saturating_sub(run.last)
    }

    /// True when this call is folded itself (not merely hidden inside another).
    pub fn is_folded(&self, call: CallId) -> bool {
        self.folded.contains(&call)
    }

    /// True when nothing is folded.
    pub fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }

    /// Folds a call. Roots and calls without steps inside cannot be folded.
    pub fn fold(&mut self, calls: &CallTable, call: CallId) {
        self.change(calls, |folded| _ = folded.insert(call));
    }

    /// Unfolds a call; calls folded inside it stay folded.
    pub fn unfold(&mut self, calls: &CallTable, call: CallId) {
        self.change(calls, |folded| _ = folded.remove(&call));
    }

    /// Folds all calls made directly inside a frame; the frame itself stays open.
    pub fn fold_children(&mut self, calls: &CallTable, frame: CallId) {
        self.change(calls, |folded| folded.extend(calls.children(frame)));
    }

    /// Unfolds everything inside a frame, to any depth.
    pub fn unfold_inside(&mut self, calls: &CallTable, frame: CallId) {
        let end = calls.subtree_end(frame);
        self.change(calls, |folded| folded.retain(|call| *call <= frame || *call >= end));
    }

    /// Folds the whole trace as far as it goes.
    pub fn fold_all(&mut self, calls: &CallTable) {
        self.change(calls, |folded| folded.extend(calls.roots().flat_map(|root| calls.children(root))));
    }

    /// Unfolds everything.
    pub fn unfold_all(&mut self) {
        self.folded.clear();
        self.runs.clear();
    }

    fn change(&mut self, calls: &CallTable, change: impl FnOnce(&mut BTreeSet<CallId>)) {
        change(&mut self.folded);
        self.folded.retain(|call| calls.get(*call).is_some_and(|call| call.entered != Entered::Root));
        let mut spans: Vec<_> = self
            .folded
            .iter()
            .filter_map(|call| calls.steps_inside(*call).map(|(first, last)| (first.0, last.0, *call)))
            .collect();
        spans.sort_unstable_by_key(|(first, last, _)| (*first, std::cmp::Reverse(*last)));
        self.runs.clear();
        let mut hidden = 0;
        for (first, last, call) in spans {
            match self.runs.last_mut() {
                Some(run) if first <= run.last => {
                    // Calls of several stacks may overlap: the later one makes the run longer.
                    hidden += last.saturating_sub(run.last);
                    run.last = run.last.max(last);
                }
                _ => {
                    self.runs.push(Run { call, first, last, row: first - hidden });
                    hidden += last - first;
                }
            }
        }
    }
}
