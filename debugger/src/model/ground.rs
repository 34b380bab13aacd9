//! Call context of a position, as needed by moves in time.

use stepback_index::{CallId, CallTable, Index, QueryError, SlotReader, ThreadId};
use stepback_parsers::{Position, Step};

/// Calls of a trace as seen from one position. Built for each move.
#[derive(Clone, Copy, Debug)]
pub struct MoveContext<'a> {
    /// All calls of the trace.
    pub calls: &'a CallTable,
    /// Last position.
    pub end: Position,
    /// Thread of the step just before the position.
    pub thread_before: ThreadId,
    /// Thread of the step just after the position.
    pub thread_after: ThreadId,
}

impl<'a> MoveContext<'a> {
    /// Reads the context of a position.
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

    /// Returns the frame that a position is in: after a call the new frame, after a return the
    /// caller's.
    pub fn frame_at(&self, position: Position) -> Option<CallId> {
        self.calls.innermost_at(self.thread_before, position)
    }

    /// Returns the outermost frame that ends with a step of the thread before the position.
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

    /// Returns the position just after a frame; the end of its thread's steps if the frame is still
    /// open.
    pub fn after(&self, frame: CallId) -> Option<Position> {
        let call = self.calls.get(frame)?;
        let last = call
            .exit_step
            .or_else(|| self.calls.steps_inside(frame).map(|(_, last)| last));
        // A call without recorded steps inside ends with the step that made it.
        last.or(call.call_step).map(Step::after)
    }
}

/// Returns the frame that contains a step of a thread; a call instruction belongs to the caller.
/// O(log n + depth).
pub fn frame_of_step(calls: &CallTable, thread: ThreadId, step: Step) -> Option<CallId> {
    calls.innermost_at(thread, step.before())
}
