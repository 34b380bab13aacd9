//! Rows of a trace list with folded calls.

use std::collections::BTreeSet;

use stepback_parsers::Step;

use crate::answers::call::{Call, CallId, FrameEntry};
use crate::oracle::record::Oracle;
use crate::query::folds::TraceListRow;

impl Oracle {
    /// Returns all rows with some calls folded: a row for each step, but only one for each run of
    /// overlapping folded calls.
    pub fn rows(&self, calls: &[Call], folded: &BTreeSet<CallId>) -> Vec<TraceListRow> {
        let mut rows: Vec<TraceListRow> = Vec::new();
        for step in (0..self.step_count()).map(Step) {
            match rows.last_mut() {
                Some(TraceListRow::Folded { last, .. }) if *last >= step => {
                    // A call of another stack that begins here extends the run.
                    let longest = self.folded_at(calls, folded, step).map(|(_, end)| end);
                    *last = longest.max(Some(*last)).unwrap_or(step);
                }
                _ => rows.push(match self.folded_at(calls, folded, step) {
                    Some((call, last)) => TraceListRow::Folded {
                        call,
                        first: step,
                        last,
                    },
                    None => TraceListRow::Step(step),
                }),
            }
        }
        rows
    }

    /// Returns the longest folded call that begins with this step, and its last step.
    fn folded_at(
        &self,
        calls: &[Call],
        folded: &BTreeSet<CallId>,
        step: Step,
    ) -> Option<(CallId, Step)> {
        let end = Step(self.step_count() - 1);
        let spans = folded.iter().filter_map(|id| {
            let call = calls.get(usize::try_from(id.0).ok()?)?;
            let last = call.exit_step.unwrap_or(end);
            let is_here = !matches!(call.entered, FrameEntry::Root | FrameEntry::Switch)
                && call.entry_step == Some(step)
                && last >= step;
            is_here.then_some((*id, last))
        });
        spans.min_by_key(|(id, last)| (std::cmp::Reverse(*last), *id))
    }
}
