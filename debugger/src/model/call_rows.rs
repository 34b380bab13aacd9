//! The rows of calls right below a call, as the table of calls has them.

use std::collections::HashMap;

use stepback_index::{Call, CallId, CallTable, Cancel, QueryError, StepCounter, ThreadId};
use stepback_parsers::{Position, Step};

use super::frame_words::{FrameMark, entered_words, evidence_words, frame_marks};
use super::names::frame_name;
use super::so_far::left_so_far;
use super::text::thousands;
use crate::messages::say;
use crate::session::Session;

/// Siblings beyond this number are not counted.
const COUNTED: u64 = 1 << 20;

/// What has rows below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallTreeNode {
    /// The threads.
    Top,
    /// A call: the calls that it made.
    Call(CallId),
    /// Consecutive calls of one function by one caller, by the first of them: each of them.
    Group(CallId),
}

/// One row: a call, or consecutive calls of one function by one caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The first call.
    pub first: CallId,
    /// What the table says of it. How it was entered and left is the same for all of them.
    pub call: Call,
    /// How many.
    pub count: u64,
    /// The number after the last frame below the last call.
    pub end: CallId,
    /// The function's name.
    pub name: String,
    /// Whose calls they are.
    pub thread: ThreadId,
    /// Steps of its thread inside, together: what others did meanwhile does not count.
    pub steps: u64,
    /// The same with what others did meanwhile.
    pub elapsed: u64,
    /// Where the first was entered.
    pub entered_at: Position,
    /// The position after the last was left.
    pub left_at: Position,
}

impl CallRow {
    /// What it opens.
    pub fn node(&self) -> CallTreeNode {
        if self.count > 1 {
            CallTreeNode::Group(self.first)
        } else {
            CallTreeNode::Call(self.first)
        }
    }

    /// What makes it unusual, in a word each.
    pub fn marks(&self) -> Vec<FrameMark> {
        frame_marks(&self.call)
    }

    /// How it was entered and left and how it was found, a line each.
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

    /// Gives the calls their new numbers; false when the first of them is none any more.
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

    /// True when there is something below it.
    pub fn is_parent(&self) -> bool {
        self.count > 1 || self.end.0 > self.first.0 + 1
    }

    /// True when a call is one of these or below one of them.
    pub fn contains(&self, call: CallId) -> bool {
        (self.first.0..self.end.0).contains(&call.0)
    }
}

/// The rows right below a node, as far as they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChildRows {
    /// In order of entry.
    pub rows: Vec<CallRow>,
    /// How many calls are not shown; none when they were not counted.
    pub hidden: Option<u64>,
    /// The first that is not shown.
    pub next: Option<CallId>,
}

/// Reads the rows right below a node, at most `limit`. Runs on a worker.
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

/// The calls right below a node, in order.
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

/// True when calls may share a row.
fn is_alike(one: &Call, other: &Call) -> bool {
    (one.function, one.entered, one.left) == (other.function, other.entered, other.left)
}

/// Measures calls by the steps of their threads.
pub(super) struct CallStepMeter<'a> {
    session: &'a Session,
    /// Of each thread whose calls were measured.
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

/// The steps between which a call lies.
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

    /// How many steps it took; where there are several threads, whose.
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

/// The numbers that calls have in another part of the trace. Runs on a worker.
pub fn same_calls(calls: &CallTable, shown: &[(CallId, Call)]) -> HashMap<CallId, CallId> {
    shown
        .iter()
        .filter_map(|(id, call)| Some((*id, calls.same(call)?)))
        .collect()
}
