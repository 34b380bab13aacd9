//! Builds the rows directly below a call for the call tree.

use std::collections::HashMap;

use stepback_index::{Call, CallId, CallTable, Cancel, QueryError, StepCounter, ThreadId};
use stepback_parsers::{Position, Step};

use super::frame_words::{FrameMark, entered_words, evidence_words, frame_marks};
use super::names::frame_name;
use super::so_far::left_so_far;
use super::text::thousands;
use crate::messages::say;
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

    fn steps(&mut self, thread: ThreadId, inside: CallStepBounds) -> Result<u64, QueryError> {
        let counter = self
            .counters
            .entry(thread)
            .or_insert_with(|| StepCounter::new(&self.session.index, thread));
        let before = counter.count_before(inside.first.before())?;
        Ok(counter
            .count_before(inside.last.after())?
            .saturating_sub(before))
    }
}

/// First and last step of a call.
#[derive(Clone, Copy)]
struct CallStepBounds {
    first: Step,
    last: Step,
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
                .saturating_add(measure.steps(self.thread, CallStepBounds { first, last })?);
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
