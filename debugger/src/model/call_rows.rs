//! Rows of the call tree: those directly below a call, and calls found by function name.
//!
//! Consecutive calls of one function by one caller share a [`CallRow`], so that a loop of calls
//! takes one row. Siblings are counted up to a limit.

use std::collections::HashMap;
use std::ops::Range;

use stepback_index::answer::{Call, CallId, CallTable, ThreadId};
use stepback_index::read::StepCounter;
use stepback_index::{Cancel, QueryError};
use stepback_parsers::{Position, Step};

use crate::action::StepRange;
use crate::messages::say;
use crate::model::call_stack::{
    ArgumentRegister, FrameMark, SourceLineMode, entered_words, evidence_words, frame_marks,
    stack_frames,
};
use crate::model::names::{frame_name, function_name};
use crate::model::so_far::left_so_far;
use crate::model::text::thousands;
use crate::session::Session;

/// Maximum number of siblings that are counted.
const COUNTED: u64 = 1 << 20;

/// Node of the call tree that has rows below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallTreeNode {
    /// Root: the outermost frames of all threads.
    Top,
    /// A call. Its children are the calls that it made.
    Call(CallId),
    /// Consecutive calls of one function by one caller, identified by the first. Its children are
    /// these calls.
    Group(CallId),
}

/// Row of the call tree: a call, or consecutive calls of one function by one caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    pub first: CallId,
    /// Entry of the call table. All calls of the row were entered and left in the same way.
    pub call: Call,
    /// Number of calls.
    pub count: u64,
    /// Call number after the last frame below the last call.
    pub end: CallId,
    /// Function name.
    pub name: String,
    pub thread: ThreadId,
    /// Steps of the own thread inside the calls; steps of other threads do not count.
    pub steps: u64,
    /// Steps inside the calls, those of other threads included.
    pub elapsed: u64,
    /// Position at which the first call was entered.
    pub entered_at: Position,
    /// Position after the last call was left.
    pub left_at: Position,
}

impl CallRow {
    /// Returns the node that the row opens.
    pub fn node(&self) -> CallTreeNode {
        if self.count > 1 {
            CallTreeNode::Group(self.first)
        } else {
            CallTreeNode::Call(self.first)
        }
    }

    /// Returns the unusual properties of the call.
    pub fn marks(&self) -> Vec<FrameMark> {
        frame_marks(&self.call)
    }

    /// Describes in one line each how the call was entered and left, and the evidence for it.
    pub fn detail_lines(&self, session: &Session) -> Vec<String> {
        let entered = match self.call.call_step {
            Some(step) => say!(
                "calls-entered-from",
                entered = entered_words(&self.call),
                step = step.0
            ),
            None => entered_words(&self.call).to_owned(),
        };
        let found = say!("stack-found", evidence = evidence_words(self.call.evidence));
        let steps = self.steps_text(session);
        match self.count {
            1 => vec![
                self.name.clone(),
                entered,
                left_so_far(session, &self.call),
                steps,
                found,
            ],
            count => {
                vec![
                    format!("{} ×{}", self.name, thousands(count)),
                    say!("calls-the-first", entered = entered),
                    steps,
                ]
            }
        }
    }

    /// Renumbers the calls; returns false if the first of them no longer exists.
    pub(super) fn renumber(&mut self, same: &HashMap<CallId, CallId>) -> bool {
        let Some(first) = same.get(&self.first) else {
            return false;
        };
        self.end = CallId(
            first
                .0
                .saturating_add(self.end.0.saturating_sub(self.first.0)),
        );
        self.first = *first;
        true
    }

    /// Returns true if the row has rows below it.
    pub fn is_parent(&self) -> bool {
        self.count > 1 || self.end.0 > self.first.0 + 1
    }

    /// Returns true if a call is one of these calls or below one of them.
    pub fn contains(&self, call: CallId) -> bool {
        (self.first.0..self.end.0).contains(&call.0)
    }
}

/// Rows directly below a node, up to a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChildRows {
    /// Rows in order of entry.
    pub rows: Vec<CallRow>,
    /// Number of calls that are not shown; none if they were not counted.
    pub hidden: Option<u64>,
    /// First call that is not shown.
    pub next: Option<CallId>,
}

/// Reads at most `limit` rows directly below a node. Runs on a worker.
///
/// Cost: one look at each sibling, and with several threads one at their steps.
///
/// # Errors
/// See [`QueryError`].
pub fn children_of(
    session: &Session,
    node: CallTreeNode,
    limit: usize,
    cancel: &Cancel,
) -> Result<ChildRows, QueryError> {
    let calls = session.index.calls();
    let is_grouping = matches!(node, CallTreeNode::Call(_));
    let mut measure = CallStepMeter::new(session);
    let mut children = ChildRows {
        hidden: Some(0),
        ..ChildRows::default()
    };
    for (looked, id) in (0u64..).zip(siblings(calls, node)) {
        if looked % 4096 == 0 {
            cancel.check()?;
        }
        let Some(call) = calls.get(id) else { break };
        let is_same = |last: &CallRow| is_grouping && last.end == id && is_alike(&last.call, &call);
        let is_full = children.rows.len() >= limit;
        match children.rows.last_mut() {
            Some(last) if children.next.is_none() && is_same(last) => last.add(&mut measure, id)?,
            _ if !is_full => children.rows.push(CallRow::new(&mut measure, id, &call)?),
            _ if looked >= COUNTED => {
                children.hidden = None;
                break;
            }
            _ => {
                children.next = children.next.or(Some(id));
                children.hidden = children.hidden.map(|hidden| hidden + 1);
            }
        }
    }
    Ok(children)
}

/// Iterates over the calls directly below a node, in order.
fn siblings(calls: &CallTable, node: CallTreeNode) -> Box<dyn Iterator<Item = CallId> + '_> {
    match node {
        CallTreeNode::Top => Box::new(calls.roots()),
        CallTreeNode::Call(parent) => Box::new(calls.children(parent)),
        CallTreeNode::Group(first) => {
            // The next sibling follows all frames below this one.
            let next = |id: &CallId| calls.get(*id).map(|_| calls.subtree_end(*id));
            let head = calls.get(first);
            let is_member = move |id: &CallId| match (&head, calls.get(*id)) {
                (Some(head), Some(call)) => call.parent == head.parent && is_alike(head, &call),
                _ => false,
            };
            Box::new(std::iter::successors(Some(first), next).take_while(is_member))
        }
    }
}

/// Returns true if two calls may share a row.
fn is_alike(one: &Call, other: &Call) -> bool {
    (one.function, one.entered, one.left) == (other.function, other.entered, other.left)
}

/// Measures calls by the steps of their threads.
pub(super) struct CallStepMeter<'a> {
    session: &'a Session,
    /// One counter for each thread whose calls were measured.
    counters: HashMap<ThreadId, StepCounter<'a>>,
}

impl<'a> CallStepMeter<'a> {
    pub fn new(session: &'a Session) -> Self {
        Self {
            session,
            counters: HashMap::new(),
        }
    }

    fn steps(&mut self, thread: ThreadId, first: Step, last: Step) -> Result<u64, QueryError> {
        let counter = self
            .counters
            .entry(thread)
            .or_insert_with(|| StepCounter::new(&self.session.index, thread));
        let before = counter.count_before(first.before())?;
        Ok(counter.count_before(last.after())?.saturating_sub(before))
    }
}

impl CallRow {
    pub(super) fn new(
        measure: &mut CallStepMeter<'_>,
        id: CallId,
        call: &Call,
    ) -> Result<Self, QueryError> {
        let name = frame_name(measure.session, call, &Cancel::default())?;
        let entered_at = measure.session.index.calls().entered_at(id);
        let mut row = Self {
            first: id,
            call: *call,
            count: 0,
            end: id,
            name,
            thread: call.thread,
            steps: 0,
            elapsed: 0,
            entered_at: entered_at.unwrap_or_default(),
            left_at: entered_at.unwrap_or_default(),
        };
        row.add(measure, id)?;
        Ok(row)
    }

    fn add(&mut self, measure: &mut CallStepMeter<'_>, id: CallId) -> Result<(), QueryError> {
        let calls = measure.session.index.calls();
        self.count += 1;
        self.end = calls.subtree_end(id);
        if let Some((first, last)) = calls.steps_inside(id) {
            self.steps = self
                .steps
                .saturating_add(measure.steps(self.thread, first, last)?);
            self.elapsed = self
                .elapsed
                .saturating_add(last.after().0.saturating_sub(first.0));
            self.left_at = last.after();
        }
        Ok(())
    }

    /// Formats the number of steps; with several threads, both the own and the elapsed number.
    pub fn steps_text(&self, session: &Session) -> String {
        match session.index.threads().len() {
            0 | 1 => say!("calls-steps-of", count = self.steps),
            _ => say!(
                "calls-steps-of-thread",
                count = self.steps,
                all = self.elapsed
            ),
        }
    }
}

/// Maps call numbers to those of the same calls in another part of the trace. Runs on a worker.
pub fn same_calls(calls: &CallTable, shown: &[(CallId, Call)]) -> HashMap<CallId, CallId> {
    shown
        .iter()
        .filter_map(|(id, call)| Some((*id, calls.same(call)?)))
        .collect()
}

/// Filter for calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallNameFilter {
    /// Part of the function name, case-insensitive; empty for all functions.
    pub text: String,
    /// Range in which the call is entered; none for the whole trace.
    pub range: Option<StepRange>,
}

impl CallNameFilter {
    /// Returns true if the filter restricts anything.
    pub fn is_any(&self) -> bool {
        self.range.is_some() || !self.text.is_empty()
    }

    /// Returns the ranges of call numbers that may match, in call table order.
    fn candidates(&self, calls: &CallTable) -> Vec<Range<u64>> {
        let Some(StepRange { first, last }) = self.range else {
            return std::iter::once(0..calls.len()).collect();
        };
        // A frame entered at the first position was called by the step before it.
        let part = Position(first.0.saturating_sub(1))..last;
        calls
            .stacks()
            .iter()
            .map(|stack| calls.frames_within(stack, &part).called)
            .collect()
    }

    fn is_in_range(&self, call: &Call) -> bool {
        let at = call.entered_at();
        self.range
            .is_none_or(|range| (range.first..=range.last).contains(&at))
    }
}

/// Finds calls: the first ones in call table order, and the number of all. Runs on a worker.
///
/// Cost: one look at each call of the trace or of the range, and one at each function's name.
///
/// # Errors
/// See [`QueryError`].
pub fn find_calls(
    session: &Session,
    sought: &CallNameFilter,
    limit: usize,
    cancel: &Cancel,
) -> Result<(Vec<CallRow>, u64), QueryError> {
    let calls = session.index.calls();
    let text = sought.text.to_lowercase();
    let mut matches = HashMap::new();
    let (mut rows, mut count) = (Vec::new(), 0);
    let mut measure = CallStepMeter::new(session);
    for id in sought.candidates(calls).into_iter().flatten().map(CallId) {
        if id.0 % 4096 == 0 {
            cancel.check()?;
        }
        let Some(call) = calls.get(id) else { break };
        let is_match = match matches.get(&call.function) {
            Some(is_match) => *is_match,
            None => {
                // The result is cached by function because a handler handles one trap.
                let is_match = frame_name(session, &call, cancel)?
                    .to_lowercase()
                    .contains(&text);
                matches.insert(call.function, is_match);
                is_match
            }
        };
        if is_match && sought.is_in_range(&call) {
            count += 1;
            if rows.len() < limit {
                rows.push(CallRow::new(&mut measure, id, &call)?);
            }
        }
    }
    Ok((rows, count))
}

/// Further details of a call, besides its name and steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallWords {
    /// Values of the first argument registers: `x0=1, x1=80020340`.
    pub arguments: String,
    /// Calling function; if there is none, the kind of entry.
    pub caller: String,
}

/// Reads the details of calls. Runs on a worker. Cost: the last writes of the arguments of each
/// call.
///
/// # Errors
/// See [`QueryError`].
pub fn call_words(
    session: &Session,
    ids: &[CallId],
    cancel: &Cancel,
) -> Result<Vec<CallWords>, QueryError> {
    let calls = session.index.calls();
    let words = |id: &CallId| {
        let frames = stack_frames(session, &[*id], SourceLineMode::LeftOut, cancel)?;
        let arguments = frames.first().map_or_else(String::new, |frame| {
            frame
                .arguments
                .iter()
                .take(ARGUMENTS)
                .map(ArgumentRegister::text)
                .collect::<Vec<_>>()
                .join(", ")
        });
        let call = calls.get(*id);
        let parent = call.and_then(|call| calls.get(call.parent?));
        let entered = || call.map_or_else(String::new, |call| entered_words(&call).to_owned());
        let caller = parent.map_or_else(entered, |parent| {
            function_name(&session.images, parent.function)
        });
        Ok(CallWords { arguments, caller })
    };
    ids.iter().map(words).collect()
}

/// Maximum number of arguments shown.
const ARGUMENTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    fn sought(text: &str, range: Option<StepRange>) -> CallNameFilter {
        CallNameFilter {
            text: text.to_owned(),
            range,
        }
    }

    #[test]
    fn calls_of_a_range_are_those_that_are_entered_in_it() {
        let session = overflow();
        let (all, count) =
            find_calls(&session, &sought("", None), usize::MAX, &Cancel::default()).unwrap();
        assert_eq!(count, session.index.calls().len());
        let range = StepRange {
            first: Position(85),
            last: Position(900),
        };
        let (inside, _) = find_calls(
            &session,
            &sought("", Some(range)),
            usize::MAX,
            &Cancel::default(),
        )
        .unwrap();
        let is_inside = |row: &&CallRow| (85..=900).contains(&row.call.entered_at().0);
        let expected: Vec<CallId> = all.iter().filter(is_inside).map(|row| row.first).collect();
        assert_eq!(
            inside.iter().map(|row| row.first).collect::<Vec<_>>(),
            expected
        );
        assert!(expected.len() > 10 && expected.len() < all.len());
    }

    #[test]
    fn calls_are_found_by_a_part_of_the_name() {
        let (found, count) =
            find_calls(&overflow(), &sought("00328", None), 3, &Cancel::default()).unwrap();
        assert_eq!((found.len(), count), (3, 36));
        let ids: Vec<CallId> = found.iter().map(|row| row.first).collect();
        let words = call_words(&overflow(), &ids, &Cancel::default()).unwrap();
        let callers: Vec<&str> = words.iter().map(|words| words.caller.as_str()).collect();
        assert_eq!(callers, ["80000390"; 3]);
        assert!(
            words.iter().all(|words| words.arguments.starts_with("x0=")),
            "{words:?}"
        );
    }
}
