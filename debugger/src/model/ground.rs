//! What a move in time needs to know of the trace.

use stepback_index::{CallId, CallTable, Index, QueryError, SlotReader, ThreadId};
use stepback_parsers::{Position, Step};

/// The calls of a trace as seen from one position. Made for each move.
#[derive(Clone, Copy, Debug)]
pub struct MoveContext<'a> {
    /// All calls.
    pub calls: &'a CallTable,
    /// The last position.
    pub end: Position,
    /// Whose step is just before the position.
    pub thread_before: ThreadId,
    /// Whose step is just after the position.
    pub thread_after: ThreadId,
}

impl<'a> MoveContext<'a> {
    /// The ground under a position of a trace.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn at(index: &'a Index, position: Position) -> Result<Self, QueryError> {
        let end = index.end();
        let thread_before = SlotReader(index).thread_at(position.min(end))?;
        let thread_after = if position < end {
            SlotReader(index).thread_at(position.next_step().after())?
        } else {
            thread_before
        };
        Ok(Self {
            calls: index.calls(),
            end,
            thread_before,
            thread_after,
        })
    }

    /// The frame that a position is in: after a call it is the new frame, after a return the caller's.
    pub fn frame_at(&self, position: Position) -> Option<CallId> {
        self.calls.innermost_at(self.thread_before, position)
    }

    /// The outermost frame that ends with a step of the thread before the position.
    pub fn left_by(&self, step: Step) -> Option<CallId> {
        let mut frame = frame_of_step(self.calls, self.thread_before, step)?;
        let ends_here = |id| {
            self.calls
                .get(id)
                .is_some_and(|call| call.exit_step == Some(step))
        };
        if !ends_here(frame) {
            return None;
        }
        while let Some(parent) = self
            .calls
            .get(frame)
            .and_then(|call| call.parent)
            .filter(|parent| ends_here(*parent))
        {
            frame = parent;
        }
        Some(frame)
    }

    /// The position just after a frame; the end of its thread's steps while it is open.
    pub fn after(&self, frame: CallId) -> Option<Position> {
        let call = self.calls.get(frame)?;
        let last = call
            .exit_step
            .or_else(|| self.calls.steps_inside(frame).map(|(_, last)| last));
        // A call into which the trace shows no step ends with the step that called.
        last.or(call.call_step).map(Step::after)
    }
}

/// The frame that a step of a thread is inside of; a call is inside of the caller. O(log n + depth).
pub fn frame_of_step(calls: &CallTable, thread: ThreadId, step: Step) -> Option<CallId> {
    calls.innermost_at(thread, step.before())
}
