//! Which steps are meant: a call, an iteration of a loop, a range.

use stepback_index::{
    CallId, Cancel, LastVisit, LastVisitBy, NextStepOf, Query as _, QueryError, SlotReader, ThreadId,
};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::own_path::{OwnPath, PathStep};
use crate::analysis::trace_index::TraceIndex;

/// Steps of a thread between two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Whose.
    pub thread: ThreadId,
    /// Before the first step.
    pub from: Position,
    /// Behind the last.
    pub to: Position,
    /// The call that it is, or that the loop is in.
    pub call: Option<CallId>,
    /// Where the loop begins that it is an iteration of.
    pub head: Option<Address>,
}

/// The steps of a call. O(1).
pub fn call_scope(index: &TraceIndex, id: CallId) -> Option<Scope> {
    let (first, last) = index.calls().steps_inside(id)?;
    let thread = index.calls().get(id)?.thread;
    Some(Scope { thread, from: first.before(), to: last.after(), call: Some(id), head: None })
}

/// The innermost call around a position, none where none is known: of a thread or of that of the last step before it.
///
/// # Errors
/// See [`QueryError`].
pub fn call_around(index: &TraceIndex, thread: Option<ThreadId>, at: Position) -> Result<Option<Scope>, QueryError> {
    let thread = thread_of(index, thread, at)?;
    let around = index.calls().innermost_at(thread, at);
    Ok(around.and_then(|id| call_scope(index, id)))
}

/// The innermost call of a function around a position, of the thread of the last step before it.
///
/// # Errors
/// See [`QueryError`].
pub fn call_of_function_around(
    index: &TraceIndex,
    function: Address,
    at: Position,
) -> Result<Option<Scope>, QueryError> {
    let thread = thread_of(index, None, at)?;
    let calls = index.calls();
    let is_wanted = |id: &CallId| calls.get(*id).is_some_and(|call| call.function == function);
    let around = calls.path_at(thread, at).into_iter().rev().find(is_wanted);
    Ok(around.and_then(|id| call_scope(index, id)))
}

/// The steps of a thread between two positions; without one, of the thread of the first step.
///
/// # Errors
/// See [`QueryError`].
pub fn range_scope(
    index: &TraceIndex,
    thread: Option<ThreadId>,
    from: Position,
    to: Position,
) -> Result<Scope, QueryError> {
    let (from, to) = (from.min(to), from.max(to));
    let thread = thread_of(index, thread, from.next_step().after().min(index.end()))?;
    Ok(Scope { thread, from, to, call: None, head: None })
}

/// The iteration of the innermost loop around a position: from one visit of its head to the next; the last one ends where control
/// leaves the loop. Loops are told by jumps backward inside of one call. Cost: the steps of the function's own up to there.
///
/// # Errors
/// See [`QueryError`].
pub fn iteration_around(
    index: &TraceIndex,
    thread: Option<ThreadId>,
    at: Position,
    cancel: &Cancel,
) -> Result<Option<Scope>, QueryError> {
    let Some(call) = call_around(index, thread, at)? else { return Ok(None) };
    let (Some(frame), thread) = (call.call, call.thread) else { return Ok(None) };
    let here = NextStepOf { thread, from: at }.run(index, cancel)?;
    let Some(here) = here.filter(|step| step.after() <= call.to) else { return Ok(None) };
    let around = Around { index, cancel, frame, call, here };
    match around.closed()? {
        Some(scope) => Ok(Some(scope)),
        None => around.last(),
    }
}

fn thread_of(index: &TraceIndex, thread: Option<ThreadId>, at: Position) -> Result<ThreadId, QueryError> {
    match thread {
        Some(thread) => Ok(thread),
        None => SlotReader(index).thread_at(at),
    }
}

/// A step of a frame whose loop is looked for.
struct Around<'a> {
    index: &'a TraceIndex,
    cancel: &'a Cancel,
    frame: CallId,
    call: Scope,
    here: Step,
}

/// A jump backward: to the head of a loop.
#[derive(Clone, Copy)]
struct BackEdge {
    head: PathStep,
    /// The address of the jump.
    latch: Address,
}

impl BackEdge {
    fn between(from: PathStep, to: PathStep) -> Option<Self> {
        (to.pc <= from.pc).then_some(Self { head: to, latch: from.pc })
    }

    /// Whether an address is in the loop.
    fn has(self, pc: Address) -> bool {
        self.head.pc <= pc && pc <= self.latch
    }
}

impl<'a> Around<'a> {
    fn path(&self) -> Option<OwnPath<'a>> {
        OwnPath::of(self.frame, self.index, self.cancel)
    }

    /// An iteration behind which control comes back to the head.
    fn closed(&self) -> Result<Option<Scope>, QueryError> {
        let Some(mut path) = self.path().map(|path| path.from(self.here)) else { return Ok(None) };
        let Some(here) = path.next_step()? else { return Ok(None) };
        let mut before = here;
        while let Some(next) = path.next_step()? {
            if let Some(edge) = BackEdge::between(before, next).filter(|edge| edge.has(here.pc))
                && let Some(from) = self.last_visit(edge.head.pc)?
            {
                return Ok(Some(self.scope(from, edge.head.step.before(), edge)));
            }
            before = next;
        }
        Ok(None)
    }

    /// The last iteration, which leaves the loop.
    fn last(&self) -> Result<Option<Scope>, QueryError> {
        let Some(mut path) = self.path() else { return Ok(None) };
        let Some(mut before) = path.next_step()? else { return Ok(None) };
        let (mut edges, mut here) = (Vec::<BackEdge>::new(), Some(before).filter(|step| step.step == self.here));
        while here.is_none() {
            let Some(next) = path.next_step()? else { return Ok(None) };
            if let Some(edge) = BackEdge::between(before, next) {
                // A loop that is gone round again takes the place of its last round, and of those inside it.
                edges.retain(|known| known.head.pc < edge.head.pc);
                edges.push(edge);
            }
            before = next;
            here = Some(next).filter(|step| step.step >= self.here);
        }
        let Some((here, edge)) =
            here.and_then(|here| Some((here, edges.into_iter().rev().find(|edge| edge.has(here.pc))?)))
        else {
            return Ok(None);
        };
        let mut last = here.step;
        while let Some(next) = path.next_step()?.filter(|next| edge.has(next.pc)) {
            last = next.step;
        }
        Ok(Some(self.scope(edge.head.step.before(), last.after(), edge)))
    }

    fn scope(&self, from: Position, to: Position, edge: BackEdge) -> Scope {
        Scope { from, to, head: Some(edge.head.pc), ..self.call }
    }

    /// Before the last visit of an address by the frame itself, up to the step.
    fn last_visit(&self, pc: Address) -> Result<Option<Position>, QueryError> {
        let (thread, calls) = (self.call.thread, self.index.calls());
        let mut before = self.here.after();
        loop {
            let visit = LastVisitBy { thread: Some(thread), visit: LastVisit { pc, before } };
            let Some(hit) = visit.run(self.index, self.cancel)? else { return Ok(None) };
            let at = hit.record.step.before();
            if at < self.call.from {
                return Ok(None);
            }
            if calls.innermost_at(thread, at) == Some(self.frame) {
                return Ok(Some(at));
            }
            before = at;
        }
    }
}
