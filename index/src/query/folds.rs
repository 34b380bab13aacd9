//! Maps between rows and steps under any set of folded calls.

use std::collections::BTreeSet;

use stepback_parsers::Step;

use crate::answers::call::CallId;
use crate::store::calls::table::CallTable;

/// A row of a trace list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceListRow {
    /// A step.
    Step(Step),
    /// The steps of a folded call, in one row after the step that called.
    Folded {
        /// The folded call.
        call: CallId,
        /// First hidden step.
        first: Step,
        /// Last hidden step.
        last: Step,
    },
}

/// A set of folded calls over the steps of a trace. Row <-> step is O(log folds), a change
/// O(folds).
///
/// Example: of 10 steps, call 3 with the steps 4 to 6 folded leaves 8 rows: steps 0 to 3, one row
/// for 4 to 6, steps 7 to 9.
#[derive(Clone, Debug, Default)]
pub struct FoldSet {
    step_count: u64,
    folded: BTreeSet<CallId>,
    /// Folds that are not inside others, by first step.
    runs: Vec<FoldedRun>,
}

#[derive(Clone, Copy, Debug)]
struct FoldedRun {
    call: CallId,
    first: u64,
    last: u64,
    /// Number of rows before the run's row.
    row: u64,
}

impl FoldSet {
    /// Creates a set without folds over this many steps.
    pub fn new(step_count: u64) -> Self {
        Self {
            step_count,
            ..Self::default()
        }
    }

    /// Returns the number of rows.
    pub fn row_count(&self) -> u64 {
        self.runs.last().map_or(self.step_count, |run| {
            run.row + 1 + self.step_count.saturating_sub(run.last + 1)
        })
    }

    /// Returns the contents of a row; none beyond the last.
    pub fn row(&self, row: u64) -> Option<TraceListRow> {
        if row >= self.row_count() {
            return None;
        }
        let before = self.runs.partition_point(|run| run.row <= row);
        let Some(run) = before.checked_sub(1).map(|number| self.runs[number]) else {
            return Some(TraceListRow::Step(Step(row)));
        };
        Some(match row - run.row {
            0 => TraceListRow::Folded {
                call: run.call,
                first: Step(run.first),
                last: Step(run.last),
            },
            rows => TraceListRow::Step(Step(run.last + rows)),
        })
    }

    /// Returns the row that shows a step, or the folded row that hides it.
    pub fn row_of(&self, step: Step) -> u64 {
        let before = self.runs.partition_point(|run| run.first <= step.0);
        let Some(run) = before.checked_sub(1).map(|number| self.runs[number]) else {
            return step.0;
        };
        run.row + step.0.saturating_sub(run.last)
    }

    /// Returns true if this call is folded itself (not merely hidden inside another).
    pub fn is_folded(&self, call: CallId) -> bool {
        self.folded.contains(&call)
    }

    /// Returns true if nothing is folded.
    pub fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }

    /// Returns the number of steps.
    pub fn step_count(&self) -> u64 {
        self.step_count
    }

    /// Carries the folds over to another part of the trace, which has this many steps. O(folds ·
    /// log calls).
    #[must_use]
    pub fn carried(&self, before: &CallTable, after: &CallTable, step_count: u64) -> Self {
        let mut carried = Self::new(step_count);
        let same = |call: &CallId| before.get(*call).and_then(|call| after.same(&call));
        carried.change(after, |folded| {
            folded.extend(self.folded.iter().filter_map(same))
        });
        carried
    }

    /// Folds a call. The first frames of stacks and calls without steps inside cannot be folded.
    pub fn fold(&mut self, calls: &CallTable, call: CallId) {
        self.change(calls, |folded| _ = folded.insert(call));
    }

    /// Folds some calls, as [`Self::fold`] does one.
    pub fn fold_some(&mut self, calls: &CallTable, some: &[CallId]) {
        self.change(calls, |folded| folded.extend(some));
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
        self.change(calls, |folded| {
            folded.retain(|call| *call <= frame || *call >= end)
        });
    }

    /// Folds the whole trace as much as possible.
    pub fn fold_all(&mut self, calls: &CallTable) {
        self.change(calls, |folded| {
            folded.extend(calls.roots().flat_map(|root| calls.children(root)))
        });
    }

    /// Folds the whole trace except these frames: their callees are folded instead.
    pub fn fold_all_around(&mut self, calls: &CallTable, open: &[CallId]) {
        self.change(calls, |folded| {
            folded.extend(calls.roots().flat_map(|root| calls.children(root)));
            folded.extend(open.iter().flat_map(|frame| calls.children(*frame)));
            folded.retain(|call| open.binary_search(call).is_err());
        });
    }

    /// Unfolds everything.
    pub fn unfold_all(&mut self) {
        self.folded.clear();
        self.runs.clear();
    }

    fn change(&mut self, calls: &CallTable, change: impl FnOnce(&mut BTreeSet<CallId>)) {
        change(&mut self.folded);
        self.folded
            .retain(|call| calls.get(*call).is_some_and(|call| call.is_called()));
        let mut spans: Vec<_> = self
            .folded
            .iter()
            .filter_map(|call| {
                calls
                    .steps_inside(*call)
                    .map(|(first, last)| (first.0, last.0, *call))
            })
            .collect();
        spans.sort_unstable_by_key(|(first, last, _)| (*first, std::cmp::Reverse(*last)));
        self.runs.clear();
        let mut hidden = 0;
        for (first, last, call) in spans {
            match self.runs.last_mut() {
                Some(run) if first <= run.last => {
                    // Calls of several stacks may overlap: the later one extends the run.
                    hidden += last.saturating_sub(run.last);
                    run.last = run.last.max(last);
                }
                _ => {
                    self.runs.push(FoldedRun {
                        call,
                        first,
                        last,
                        row: first - hidden,
                    });
                    hidden += last - first;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::calls::samples::{nested, table_of};

    /// Returns the rows as text: steps, and folded calls as `call:first-last`.
    fn text(folds: &FoldSet) -> String {
        let row = |row| match folds.row(row) {
            Some(TraceListRow::Step(step)) => step.0.to_string(),
            Some(TraceListRow::Folded { call, first, last }) => {
                format!("{}:{}-{}", call.0, first.0, last.0)
            }
            None => "none".to_owned(),
        };
        (0..folds.row_count())
            .map(row)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[track_caller]
    fn check(folds: &FoldSet, expected: &str) {
        assert_eq!(text(folds), expected);
        assert_eq!(folds.row(folds.row_count()), None);
        for row in 0..folds.row_count() {
            match folds.row(row) {
                Some(TraceListRow::Step(step)) => assert_eq!(folds.row_of(step), row),
                Some(TraceListRow::Folded { first, last, .. }) => {
                    (first.0..=last.0).for_each(|step| assert_eq!(folds.row_of(Step(step)), row));
                }
                None => unreachable!("row {row} is one of row_count"),
            }
        }
    }

    #[test]
    fn a_folded_call_is_one_row() {
        let (calls, mut folds) = (nested(), FoldSet::new(20));
        check(&folds, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");
        folds.fold(&calls, CallId(2));
        check(&folds, "0 1 2 3 4 2:5-7 8 9 10 11 12 13 14 15 16 17 18 19");
        folds.fold(&calls, CallId(4));
        check(&folds, "0 1 2 3 4 2:5-7 8 9 10 11 12 13 14 4:15-19");
        assert!(folds.is_folded(CallId(2)) && !folds.is_folded(CallId(1)));
    }

    #[test]
    fn a_fold_inside_another_shows_again_when_the_outer_one_is_unfolded() {
        let (calls, mut folds) = (nested(), FoldSet::new(20));
        folds.fold(&calls, CallId(3));
        folds.fold(&calls, CallId(1));
        check(&folds, "0 1 2 1:3-12 13 14 15 16 17 18 19");
        folds.unfold(&calls, CallId(1));
        check(
            &folds,
            "0 1 2 3 4 5 6 7 8 3:9-10 11 12 13 14 15 16 17 18 19",
        );
    }

    #[test]
    fn roots_and_calls_without_steps_are_never_folded() {
        let (calls, mut folds) = (nested(), FoldSet::new(20));
        folds.fold(&calls, CallId(0));
        folds.fold(&calls, CallId(99));
        assert!(folds.is_empty());
        folds.fold(&calls, CallId(5));
        assert_eq!(folds.row_count(), 20);
    }

    #[test]
    fn children_are_folded_together_and_unfolded_to_any_depth() {
        let (calls, mut folds) = (nested(), FoldSet::new(20));
        folds.fold_children(&calls, CallId(1));
        check(
            &folds,
            "0 1 2 3 4 2:5-7 8 3:9-10 11 12 13 14 15 16 17 18 19",
        );
        folds.fold_all(&calls);
        check(&folds, "0 1 2 1:3-12 13 14 4:15-19");
        folds.unfold_inside(&calls, CallId(1));
        check(&folds, "0 1 2 1:3-12 13 14 4:15-19");
        folds.unfold(&calls, CallId(1));
        check(&folds, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 4:15-19");
        folds.fold_children(&calls, CallId(1));
        folds.unfold_inside(&calls, CallId(0));
        assert!(folds.is_empty());
        folds.fold_all(&calls);
        folds.unfold_all();
        assert_eq!((folds.is_empty(), folds.row_count()), (true, 20));
    }

    #[test]
    fn calls_that_overlap_make_one_run() {
        let samples = [
            (0, None, Some(0), None),
            (0, Some(2), Some(3), Some(10)),
            (0, Some(5), Some(6), Some(15)),
        ];
        let (calls, mut folds) = (table_of(&samples, 20), FoldSet::new(20));
        folds.fold(&calls, CallId(1));
        folds.fold(&calls, CallId(2));
        check(&folds, "0 1 2 1:3-15 16 17 18 19");
        folds.unfold(&calls, CallId(1));
        check(&folds, "0 1 2 3 4 5 2:6-15 16 17 18 19");
    }

    #[test]
    fn folds_are_carried_to_the_table_of_a_longer_part() {
        let root = (1, None, Some(0), None);
        let (first, open, left) = (
            (1, Some(2), Some(3), Some(5)),
            (1, Some(7), Some(8), None),
            (1, Some(7), Some(8), Some(12)),
        );
        let part = [root, first, open];
        // Another thread, which sorts before the first, gives every call another number.
        let whole = [root, first, left, (0, None, Some(13), None)];
        let (before, mut folds) = (table_of(&part, 10), FoldSet::new(10));
        folds.fold(&before, CallId(1));
        folds.fold(&before, CallId(2));
        check(&folds, "0 1 2 1:3-5 6 7 2:8-9");
        check(
            &folds.carried(&before, &table_of(&whole, 14), 14),
            "0 1 2 2:3-5 6 7 3:8-12 13",
        );
    }

    #[test]
    fn nothing_is_folded_in_an_empty_trace() {
        let (calls, mut folds) = (table_of(&[], 0), FoldSet::new(0));
        folds.fold_all(&calls);
        assert_eq!((folds.row_count(), folds.row(0)), (0, None));
    }
}
