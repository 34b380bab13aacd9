//! Calls of a trace by the heuristic of the index, applied to the events in order, one thread after
//! another ([`OracleCalls`]), and the rows of a trace list with folded calls. Depth and parent
//! follow from the call and exit steps of the frames.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use stepback_parsers::{Position, Step};

use crate::answers::call::{Call, CallId, FrameEntry};
use crate::answers::cell::ThreadId;
use crate::oracle::call_walk::OracleCallWalk;
use crate::oracle::record::Oracle;
use crate::query::folds::TraceListRow;

/// The frames of a trace.
#[derive(Debug, Default)]
pub struct OracleCalls {
    /// Sorted by thread, stack and call, parents before children.
    pub calls: Vec<Call>,
    /// Stack number of each call in its thread.
    pub stacks: Vec<usize>,
    /// Switches of threads to another of their stacks, with the last step before.
    pub turns: Vec<(ThreadId, Step, usize)>,
}

impl OracleCalls {
    /// Returns the number of the stack that a thread uses at a position.
    pub fn stack_at(&self, thread: ThreadId, position: Position) -> usize {
        let is_before = |turn: &&(ThreadId, Step, usize)| turn.0 == thread && turn.1.0 < position.0;
        self.turns.iter().rfind(is_before).map_or(0, |turn| turn.2)
    }
}

impl Oracle {
    /// Returns all frames.
    pub fn calls(&self) -> OracleCalls {
        let threads = (0..self.thread_names.len()).filter_map(|number| u16::try_from(number).ok());
        let mut all = OracleCalls::default();
        for thread in threads.map(ThreadId) {
            let (found, turns) = match self.recorded_calls(thread) {
                Some(found) => found,
                None => {
                    let OracleCallWalk { calls, turns, .. } =
                        OracleCallWalk::new(self, thread).walked();
                    (calls, turns)
                }
            };
            all.turns.extend(turns);
            let stacks = found.iter().map(|(stack, _)| *stack).max().unwrap_or(0);
            for stack in 0..=stacks {
                let calls: Vec<_> = found
                    .iter()
                    .filter(|(of, _)| *of == stack)
                    .map(|(_, call)| *call)
                    .collect();
                let base = all.calls.len() as u64;
                all.stacks.extend(calls.iter().map(|_| stack));
                all.calls.extend(as_tree(calls, base));
            }
        }
        all
    }
}

/// Fills in depth and parent: the parent is the last earlier call that has not ended at the call
/// step.
fn as_tree(mut calls: Vec<Call>, base: u64) -> Vec<Call> {
    calls.sort_by_key(|call| {
        let exit = call.exit_step.map_or(u64::MAX, |exit| exit.0);
        // Of two frames that begin and end together, the one entered later was interrupted by the
        // other.
        let entry = call.entry_step.map_or(u64::MAX, |entry| entry.0);
        (
            call.call_step.map_or(0, |step| step.0 + 1),
            Reverse(exit),
            Reverse(entry),
            call.function,
        )
    });
    for number in 0..calls.len() {
        let (before, rest) = calls.split_at_mut(number);
        let Some(call) = rest.first_mut() else { break };
        let is_open = |parent: &Call| {
            parent
                .exit_step
                .is_none_or(|exit| Some(exit) > call.call_step)
        };
        if let Some(place) = before.iter().rposition(is_open) {
            call.parent = Some(CallId(base + place as u64));
            call.depth = before.get(place).map_or(0, |parent| parent.depth + 1);
        }
    }
    calls
}

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
