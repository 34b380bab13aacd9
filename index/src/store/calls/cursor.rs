//! Follows the innermost frame of a thread through ascending positions ([`FrameCursor`]).

use std::ops::Range;

use stepback_parsers::Position;

use crate::answers::call::CallId;
use crate::answers::cell::ThreadId;
use crate::store::calls::table::CallTable;

/// Number of later frames that are compared one by one before a binary search.
const NEAR_FRAMES: u64 = 8;

/// The innermost frame of a thread at ascending positions. It answers as
/// [`CallTable::innermost_at`] does, but a frame that follows the last one costs O(1).
#[derive(Clone, Debug)]
pub struct FrameCursor<'a> {
    calls: &'a CallTable,
    thread: ThreadId,
    frame: Option<CallId>,
    /// Positions for which `frame` is the answer.
    holds: Range<u64>,
    /// Frames of the stack in use, and the position at which the thread leaves that stack.
    stack: Range<u64>,
    stack_end: u64,
    /// First frame of the stack that is called at or after the last position.
    next: u64,
    /// The frame before it was called and begins later: calls have delay slots.
    is_last_delayed: bool,
}

impl<'a> FrameCursor<'a> {
    /// Creates a cursor for a thread.
    pub fn new(calls: &'a CallTable, thread: ThreadId) -> Self {
        Self {
            calls,
            thread,
            frame: None,
            holds: 0..0,
            stack: 0..0,
            stack_end: 0,
            next: 0,
            is_last_delayed: false,
        }
    }

    /// Returns the innermost frame at a position, which is not before the last one.
    #[inline]
    pub fn at(&mut self, position: Position) -> Option<CallId> {
        if !self.holds.contains(&position.0) {
            self.go_to(position);
        }
        self.frame
    }

    fn go_to(&mut self, position: Position) {
        if position.0 >= self.stack_end {
            let used = self.calls.stack_at(self.thread, position);
            (self.stack, self.stack_end) = (used.frames, used.until);
            (self.next, self.frame) = (self.stack.start, None);
        }
        let before = self.next;
        self.next = self.next_from(position);
        let last = self.next.checked_sub(1).map(CallId);
        let last = last.filter(|last| last.0 >= self.stack.start);
        // The frames around a later position are among those around an earlier one if no frame was
        // called in between.
        let is_same = self.next == before && !self.is_last_delayed;
        let from = self.frame.filter(|_| is_same).or(last);
        self.frame = from.and_then(|from| self.calls.around_position(from, position));
        let exit = |frame| self.calls.get(frame)?.exit_step;
        let left = self.frame.and_then(exit).map(|exit| exit.after().0);
        let called = (self.next < self.stack.end)
            .then(|| self.call_step(self.next))
            .flatten()
            .map(|call| call + 1);
        let begin = last.and_then(|last| self.calls.begin_of(last));
        self.is_last_delayed = begin.is_some_and(|begin| begin > position);
        let delayed = self.is_last_delayed.then_some(position.0 + 1);
        let ends = [left, called, delayed, Some(self.stack_end)];
        let end = ends.into_iter().flatten().min().unwrap_or(u64::MAX);
        self.holds = position.0..end.max(position.0 + 1);
    }

    /// Returns the first frame that is called at or after a position.
    fn next_from(&self, position: Position) -> u64 {
        let is_late = |id: u64| self.call_step(id).is_some_and(|call| call >= position.0);
        let near = self.next..self.next.saturating_add(NEAR_FRAMES).min(self.stack.end);
        near.clone().find(|id| is_late(*id)).unwrap_or_else(|| {
            self.calls.first(near.end..self.stack.end, |call| {
                call.call_step.is_some_and(|step| step.0 >= position.0)
            })
        })
    }

    fn call_step(&self, id: u64) -> Option<u64> {
        Some(self.calls.get(CallId(id))?.call_step?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::calls::samples::{nested, table_of};

    #[track_caller]
    fn check(calls: &CallTable, positions: impl IntoIterator<Item = u64>) {
        let mut cursor = FrameCursor::new(calls, ThreadId(0));
        for position in positions.into_iter().map(Position) {
            let found = calls.innermost_at(ThreadId(0), position);
            assert_eq!(cursor.at(position), found, "{position:?}");
        }
    }

    #[test]
    fn a_cursor_answers_as_a_search_does() {
        check(&nested(), 0..22);
        check(&nested(), [0, 7, 20]);
        check(&nested(), [13]);
        check(&table_of(&[], 0), 0..3);
    }

    #[test]
    fn a_cursor_leaves_many_frames_at_once() {
        let call = |level: u64| (0, level.checked_sub(1), Some(level), Some(1000));
        let mut samples: Vec<_> = (0..100).map(call).collect();
        samples[0].3 = None;
        samples.push((0, Some(1005), Some(1006), Some(1007)));
        let calls = table_of(&samples, 1010);
        check(&calls, 0..1010);
        check(&calls, (0..1010).step_by(37));
    }
}
