//! The calls of a trace as events: a frame is entered, a frame is left. Each stack of a thread has its
//! own sequence, in which frames nest ([`each_frame_event`]).

use stepback_index::answer::{CallId, StackUse};
use stepback_index::read::StepCounter;
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::call_profile::StackClock;

/// Number of frames between two checks for cancellation.
const STRIDE: u64 = 1 << 12;

/// A frame is entered or left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameEvent {
    /// The frame.
    pub call: CallId,
    /// Its function.
    pub function: Address,
    /// True when it is entered, false when it is left.
    pub is_entry: bool,
    /// Position of the event.
    pub at: Position,
    /// Number of steps that the thread did on this stack before it.
    pub steps: u64,
}

/// Calls `take` for the events of a stack in order. Frames that are open at the end of the trace are
/// left there. Cost: proportional to the frames.
///
/// # Errors
/// See [`QueryError`]; an error of `take` ends it.
pub fn each_frame_event<E: From<QueryError>>(
    index: &Index,
    stack: &StackUse,
    cancel: &Cancel,
    mut take: impl FnMut(FrameEvent) -> Result<(), E>,
) -> Result<(), E> {
    let calls = index.calls();
    let counter = StepCounter::new(index, stack.thread);
    let clock = StackClock::new(&counter, stack, index.end())?;
    // Frames that are open, with the position at which each is left.
    let mut open: Vec<(CallId, Address, Position)> = Vec::new();
    for id in stack.frames.clone().map(CallId) {
        if id.0.is_multiple_of(STRIDE) {
            cancel.check()?;
        }
        let (Some(call), Some(begin)) = (calls.get(id), calls.begin_of(id)) else {
            continue;
        };
        leave_until(&mut open, begin, &clock, &mut take)?;
        let outer_end = open.last().map_or(index.end(), |(_, _, end)| *end);
        let end = call.exit_step.map_or(outer_end, Step::after).min(outer_end);
        let begin = begin.min(end);
        take(FrameEvent {
            call: id,
            function: call.function,
            is_entry: true,
            at: begin,
            steps: clock.ran_before(begin)?,
        })?;
        open.push((id, call.function, end));
    }
    leave_until(&mut open, Position(u64::MAX), &clock, &mut take)
}

/// Leaves the frames that end at or before a position.
fn leave_until<E: From<QueryError>>(
    open: &mut Vec<(CallId, Address, Position)>,
    until: Position,
    clock: &StackClock<'_>,
    take: &mut impl FnMut(FrameEvent) -> Result<(), E>,
) -> Result<(), E> {
    while let Some((call, function, at)) = open.pop_if(|(_, _, end)| *end <= until) {
        take(FrameEvent {
            call,
            function,
            is_entry: false,
            at,
            steps: clock.ran_before(at)?,
        })?;
    }
    Ok(())
}
