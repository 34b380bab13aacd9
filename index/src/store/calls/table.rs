//! The calls of a trace as a tree of intervals.
//!
//! On disk: a table of packed rows ([`PackedRows`]), some 8 bytes per frame, sorted by thread, stack
//! and call step, so that a frame's descendants follow it. The frames of a stack nest; frames of
//! different stacks of a thread do not. So each stack has a part of the table, and the directory
//! records the use of the stacks ([`CallLayout`]).
//! ```text
//! function, call step + 1, entry step - call step + 1, exit step - call step + 1,
//! number of the row - parent, number of the row - skip, depth, thread,
//! entered + 256 * left + 65536 * evidence
//! ```
//! In the columns of steps and frames, 0 means "none". `skip` is an outer frame beyond the parent
//! (`skip_depth` in `encoder.rs`), so that a walk outwards need not visit every frame.
//!
//! A frame begins with its first step if calls have delay slots, which belong to the caller
//! ([`CallTable::begin_of`]), and after its call step otherwise.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use stepback_machine::{Address, InstructionSet};
use stepback_parsers::{Position, Step};

use crate::answers::call::{Call, CallId, FrameEntry, FrameExit};
use crate::answers::cell::ThreadId;
use crate::answers::error::OpenError;
use crate::store::calls::record::{COLUMNS, CallRecord};
use crate::store::calls::stacks::CallLayout;
use crate::store::data::{Extent, IndexData};
use crate::store::packed_rows::PackedRows;

/// All calls of a trace.
#[derive(Clone, Debug)]
pub struct CallTable {
    data: Arc<IndexData>,
    range: Range<usize>,
    layout: CallLayout,
    step_count: u64,
    arrival: Arrival,
}

/// Time at which control arrives at the target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// At the next step of the thread.
    Next,
    /// After the instruction in the delay slot, which belongs to the caller.
    AfterSlot,
}

impl Arrival {
    /// Returns the arrival time for an instruction set.
    pub fn of(set: InstructionSet) -> Self {
        if set.slot_bytes() > 0 {
            Self::AfterSlot
        } else {
            Self::Next
        }
    }
}

/// A stack in use.
#[derive(Clone, Debug)]
pub(super) struct UsedStack {
    /// Its frames in the table.
    pub frames: Range<u64>,
    /// Position at which the thread changes to another stack.
    pub until: u64,
}

impl CallTable {
    /// Opens the table of an index.
    ///
    /// # Errors
    /// The checksum does not match.
    pub(crate) fn open(
        data: &Arc<IndexData>,
        frames: Extent,
        layout: CallLayout,
        step_count: u64,
        arrival: Arrival,
    ) -> Result<Self, OpenError> {
        let damaged = OpenError::Damaged("the checksum of its calls does not hold");
        let range = frames
            .range()
            .filter(|_| frames.checked(data).is_some())
            .ok_or(damaged)?;
        Ok(Self::new(
            Arc::clone(data),
            range,
            layout,
            step_count,
            arrival,
        ))
    }

    /// Creates the table in `range` of an index.
    pub(crate) fn new(
        data: Arc<IndexData>,
        range: Range<usize>,
        layout: CallLayout,
        step_count: u64,
        arrival: Arrival,
    ) -> Self {
        Self {
            data,
            range,
            layout,
            step_count,
            arrival,
        }
    }

    /// Returns the table of the same trace with other frames.
    pub(crate) fn with_frames(
        &self,
        data: IndexData,
        len_bytes: usize,
        layout: CallLayout,
    ) -> Self {
        Self {
            data: data.into(),
            range: 0..len_bytes,
            layout,
            ..self.clone()
        }
    }

    fn rows(&self) -> Option<PackedRows<'_, COLUMNS>> {
        PackedRows::new(self.data.get(self.range.clone())?).ok()
    }

    fn record(&self, id: CallId) -> Option<CallRecord> {
        let row = self.rows()?.get(usize::try_from(id.0).ok()?).ok()?;
        CallRecord::of_row(id.0, row)
    }

    /// Returns the number of frames, including roots.
    pub fn len(&self) -> u64 {
        self.rows().map_or(0, |rows| rows.len() as u64)
    }

    /// Returns true if there are no frames.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a frame. O(1).
    pub fn get(&self, id: CallId) -> Option<Call> {
        let record = self.record(id)?;
        Some(Call {
            thread: ThreadId(record.thread),
            function: Address(record.function),
            call_step: record.call_step.map(Step),
            entry_step: record.entry_step.map(Step),
            exit_step: record.exit_step.map(Step),
            entered: record.entered,
            left: record.left,
            evidence: record.evidence,
            depth: record.depth,
            parent: record.parent.map(CallId),
        })
    }

    /// Returns the position from which a frame is on its stack: after its call step, or before its
    /// first step if calls have delay slots. A frame with a trap in the delay slot of its call
    /// begins after the call step. O(1).
    pub fn begin_of(&self, id: CallId) -> Option<Position> {
        let call = self.get(id)?;
        let Some(called) = call.call_step.map(Step::after) else {
            return Some(Position(0));
        };
        let has_slot = self.arrival == Arrival::AfterSlot
            && matches!(call.entered, FrameEntry::Call | FrameEntry::Tail);
        if !has_slot {
            return Some(called);
        }
        let entered = call
            .entry_step
            .map_or(Position(called.0.saturating_add(1)), Step::before);
        let next = self
            .get(CallId(id.0 + 1))
            .filter(|next| next.parent == Some(id))
            .and_then(|next| next.call_step);
        Some(if next.is_some_and(|next| next.after() <= entered) {
            called
        } else {
            entered
        })
    }

    /// Returns the position at which a frame is first the innermost one. For a frame that was
    /// entered before the trace begins, it is the position before its first step.
    pub fn entered_at(&self, id: CallId) -> Option<Position> {
        let call = self.get(id)?;
        match call.call_step {
            Some(_) => self.begin_of(id),
            None => call.entry_step.map(Step::before),
        }
    }

    /// Returns true while a frame is on its stack: from its begin to the position before the step
    /// after its exit.
    pub fn contains(&self, id: CallId, position: Position) -> bool {
        self.begin_of(id).is_some_and(|begin| begin <= position)
            && self
                .get(id)
                .is_some_and(|call| call.exit_step.is_none_or(|exit| position.0 <= exit.0))
    }

    /// Returns the nearest frame, from `from` outwards, that is on its stack at a position. O(log²
    /// depth).
    pub(super) fn around_position(&self, from: CallId, position: Position) -> Option<CallId> {
        self.around(from, |id, _| self.contains(id, position))
    }

    /// Returns the partition of the table by stack, and the use of the stacks.
    pub(crate) fn layout(&self) -> &CallLayout {
        &self.layout
    }

    /// Returns the frames of a part.
    pub(super) fn range_of(&self, part: usize) -> Range<u64> {
        let end = |part: usize| self.layout.parts.get(part).map_or(0, |part| part.end);
        part.checked_sub(1).map_or(0, end)..end(part)
    }

    /// Returns the part that contains a frame.
    fn part_of(&self, id: CallId) -> usize {
        self.layout.parts.partition_point(|part| part.end <= id.0)
    }

    /// Returns the stack number of a frame in its thread.
    pub fn stack_of(&self, id: CallId) -> u32 {
        self.layout
            .parts
            .get(self.part_of(id))
            .map_or(0, |part| part.stack)
    }

    /// Returns the frames of the stack that a thread uses at a position.
    fn in_use_at(&self, thread: ThreadId, position: Position) -> Range<u64> {
        self.stack_at(thread, position).frames
    }

    /// Returns the stack that a thread uses at a position.
    pub(super) fn stack_at(&self, thread: ThreadId, position: Position) -> UsedStack {
        let CallLayout { parts, switches } = &self.layout;
        let after = switches
            .partition_point(|switch| (switch.thread, switch.after) < (thread.0, position.0));
        let of_thread = |place: usize| {
            let switch = switches.get(place)?;
            (switch.thread == thread.0).then_some(switch)
        };
        let switch = after.checked_sub(1).and_then(of_thread);
        let stack = switch.map_or(0, |switch| switch.stack);
        let wanted = (thread.0, stack);
        let found = parts.binary_search_by_key(&wanted, |part| (part.thread, part.stack));
        UsedStack {
            frames: found.map_or(0..0, |part| self.range_of(part)),
            until: of_thread(after).map_or(u64::MAX, |next| next.after.saturating_add(1)),
        }
    }

    /// Returns the frames in a range of the table in order of entry, merging several stacks.
    pub fn in_order(&self, range: Range<u64>) -> impl Iterator<Item = CallId> + use<'_> {
        let parts = self.part_of(CallId(range.start))..self.layout.parts.len();
        let within = parts
            .map(|part| self.range_of(part))
            .take_while(|part| part.start < range.end);
        let within: Vec<_> = within
            .map(|part| part.start.max(range.start)..part.end.min(range.end))
            .collect();
        let entered = |id: u64| self.get(CallId(id)).map_or(0, |call| call.entered_at().0);
        let heads = within
            .iter()
            .filter(|part| !part.is_empty())
            .map(|part| Reverse((entered(part.start), part.start, part.end)));
        let mut heads: BinaryHeap<_> = heads.collect();
        std::iter::from_fn(move || {
            let Reverse((_, id, end)) = heads.pop()?;
            let next = id + 1;
            if next < end {
                heads.push(Reverse((entered(next), next, end)));
            }
            Some(CallId(id))
        })
    }

    /// Returns the first frame of a range for which `is_late` holds. The predicate must hold for
    /// all frames after it (binary search).
    pub(super) fn first(&self, range: Range<u64>, is_late: impl Fn(&Call) -> bool) -> u64 {
        let Range {
            start: mut low,
            end: mut high,
        } = range;
        while low < high {
            let middle = low.midpoint(high);
            if self.get(CallId(middle)).is_none_or(|call| is_late(&call)) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        low
    }

    /// Returns the frames without a caller, by thread and stack: the first frame of each stack, and
    /// the frames that replaced one by a tail call.
    pub fn roots(&self) -> impl Iterator<Item = CallId> + '_ {
        (0..self.layout.parts.len()).flat_map(move |part| {
            let range = self.range_of(part);
            let first = Some(CallId(range.start)).filter(|first| first.0 < range.end);
            std::iter::successors(first, move |root| {
                Some(self.subtree_end(*root)).filter(|next| next.0 < range.end && next > root)
            })
        })
    }

    /// Returns the end of the descendants of a frame: they follow it in the table. O(log n).
    pub fn subtree_end(&self, id: CallId) -> CallId {
        let Some(call) = self.get(id) else { return id };
        let rest = id.0 + 1..self.range_of(self.part_of(id)).end;
        CallId(match call.exit_step {
            None => rest.end,
            Some(exit) => self.first(rest, |later| {
                later.call_step.is_some_and(|step| step >= exit)
            }),
        })
    }

    /// Returns the number of descendants of a frame. O(log n).
    pub fn descendants(&self, id: CallId) -> u64 {
        self.subtree_end(id).0.saturating_sub(id.0 + 1)
    }

    /// Returns the direct callees of a frame, in order. O(log n) per child.
    pub fn children(&self, id: CallId) -> impl Iterator<Item = CallId> + '_ {
        let end = self.subtree_end(id);
        let first = Some(CallId(id.0 + 1)).filter(|child| *child < end);
        let later = std::iter::successors(first, move |child| {
            Some(self.subtree_end(*child)).filter(|next| *next < end && next > child)
        });
        // If calls overlap, the frame after a child may have been called from inside it.
        later.filter(move |child| self.get(*child).is_some_and(|call| call.parent == Some(id)))
    }

    /// Returns the nearest frame, from `from` outwards, for which `is_wanted` holds. The predicate
    /// must hold for all frames outside that one. O(log² depth).
    fn around(&self, from: CallId, is_wanted: impl Fn(CallId, &Call) -> bool) -> Option<CallId> {
        let mut id = from;
        loop {
            let call = self.get(id)?;
            if is_wanted(id, &call) {
                return Some(id);
            }
            let skip = self
                .skip(id)
                .filter(|skip| self.get(*skip).is_some_and(|call| !is_wanted(*skip, &call)));
            id = skip.or(call.parent)?;
        }
    }

    /// Returns the target of a frame's shortcut.
    fn skip(&self, id: CallId) -> Option<CallId> {
        self.record(id)?.skip.map(CallId)
    }

    /// Returns the innermost frame of a thread at a position. O(log n + log² depth).
    pub fn innermost_at(&self, thread: ThreadId, position: Position) -> Option<CallId> {
        let range = self.in_use_at(thread, position);
        let late = self.first(range.clone(), |call| {
            call.call_step.is_some_and(|step| step.0 >= position.0)
        });
        let last = late.checked_sub(1).filter(|last| *last >= range.start)?;
        self.around_position(CallId(last), position)
    }

    /// Returns the frames around a position, outermost first. O(log n + depth).
    pub fn path_at(&self, thread: ThreadId, position: Position) -> Vec<CallId> {
        self.innermost_at(thread, position)
            .map_or_else(Vec::new, |innermost| {
                self.part_of_path(innermost, 0..u32::MAX)
            })
    }

    /// Returns the frames at a range of depths on the path to `innermost`, outermost first. O(log²
    /// depth + depths).
    pub fn part_of_path(&self, innermost: CallId, depths: Range<u32>) -> Vec<CallId> {
        let last = self.around(innermost, |_, call| call.depth < depths.end);
        let is_wanted = |id: &CallId| self.get(*id).is_some_and(|call| call.depth >= depths.start);
        let outwards = std::iter::successors(last, |id| self.get(*id)?.parent);
        let mut path: Vec<_> = outwards.take_while(is_wanted).collect();
        path.reverse();
        path
    }

    /// Returns the frame that a step called, if the step is a call. O(log n).
    pub fn called_by(&self, thread: ThreadId, step: Step) -> Option<CallId> {
        let found = self.first(self.in_use_at(thread, step.before()), |call| {
            call.call_step.is_some_and(|call| call >= step)
        });
        Some(CallId(found)).filter(|id| {
            self.get(*id)
                .is_some_and(|call| call.thread == thread && call.call_step == Some(step))
        })
    }

    /// Returns the frame that a frame ends in: itself, or the last of its tail calls. None if the
    /// table lacks one of them.
    pub fn after_tails(&self, frame: Call) -> Option<Call> {
        let mut last = frame;
        while last.left == FrameExit::Tail {
            let tail = last.exit_step?;
            let next = self.get(self.called_by(last.thread, tail)?)?;
            // Exit steps must increase, so that a damaged table cannot cause an endless loop. The
            // last of them may not have ended.
            let is_later = next.exit_step.is_none_or(|exit| exit > tail);
            last = Some(next).filter(|next| next.entered == FrameEntry::Tail && is_later)?;
        }
        Some(last)
    }

    /// Returns the last step before control leaves a frame for its caller: that of the frame, or of
    /// the last of its tail calls.
    pub fn return_step(&self, frame: Call) -> Option<Step> {
        self.after_tails(frame).unwrap_or(frame).exit_step
    }

    /// Returns the frame of this table that corresponds to a frame of another table of the same
    /// trace. O(log n).
    pub fn same(&self, call: &Call) -> Option<CallId> {
        let first = match call.call_step {
            Some(step) => self.called_by(call.thread, step),
            None => self
                .path_at(call.thread, call.entered_at())
                .first()
                .copied(),
        }?;
        // One step may begin several frames: a call that is interrupted at once, or the callers of
        // a stack's first frame.
        let alike = (first.0..).map(CallId).map_while(|id| {
            let other = self
                .get(id)
                .filter(|other| other.thread == call.thread && other.call_step == call.call_step)?;
            Some((id, other))
        });
        let mut alike = alike;
        alike
            .find(|(_, other)| other.function == call.function)
            .map(|(id, _)| id)
    }

    /// Returns the first and last step inside a frame, up to the end of the trace while it is open.
    /// `None` if the trace shows no step in it.
    pub fn steps_inside(&self, id: CallId) -> Option<(Step, Step)> {
        let call = self.get(id)?;
        let last = call
            .exit_step
            .or_else(|| self.step_count.checked_sub(1).map(Step))?;
        call.entry_step
            .filter(|first| *first <= last)
            .map(|first| (first, last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::calls::samples::{nested, table_of};

    fn ids(calls: impl IntoIterator<Item = CallId>) -> Vec<u64> {
        calls.into_iter().map(|id| id.0).collect()
    }

    #[test]
    fn a_tree_knows_who_called_whom() {
        let calls = nested();
        assert_eq!(calls.len(), 6);
        assert_eq!(ids(calls.roots()), [0]);
        assert_eq!(ids(calls.children(CallId(0))), [1, 4]);
        assert_eq!(ids(calls.children(CallId(1))), [2, 3]);
        assert_eq!(ids(calls.children(CallId(4))), [5]);
        assert_eq!(ids(calls.children(CallId(5))), []);
        let depths: Vec<_> = (0..6)
            .filter_map(|id| calls.get(CallId(id)))
            .map(|call| call.depth)
            .collect();
        assert_eq!(depths, [0, 1, 2, 2, 1, 2]);
        assert_eq!(
            calls.get(CallId(3)).and_then(|call| call.parent),
            Some(CallId(1))
        );
        assert_eq!(calls.get(CallId(6)), None);
    }

    #[test]
    fn a_subtree_ends_after_its_last_frame() {
        let calls = nested();
        let ends = (0..6).map(|id| calls.subtree_end(CallId(id)));
        assert_eq!(ids(ends), [6, 4, 3, 4, 6, 6]);
        assert_eq!(
            (
                calls.descendants(CallId(0)),
                calls.descendants(CallId(1)),
                calls.descendants(CallId(2))
            ),
            (5, 2, 0)
        );
        assert_eq!(calls.subtree_end(CallId(77)), CallId(77));
    }

    #[test]
    fn a_frame_is_on_the_stack_from_after_its_call_to_before_the_step_after_its_return() {
        let calls = nested();
        let path = |position: u64| ids(calls.path_at(ThreadId(0), Position(position)));
        assert_eq!(
            (path(0), path(2), path(3), path(4)),
            (vec![0], vec![0], vec![0, 1], vec![0, 1])
        );
        assert_eq!(
            (path(5), path(7), path(8), path(9)),
            (vec![0, 1, 2], vec![0, 1, 2], vec![0, 1], vec![0, 1, 3])
        );
        assert_eq!(
            (path(11), path(12), path(13), path(20)),
            (vec![0, 1], vec![0, 1], vec![0], vec![0, 4, 5])
        );
        assert_eq!(ids(calls.path_at(ThreadId(7), Position(5))), []);
    }

    #[test]
    fn a_step_knows_what_it_called() {
        let calls = nested();
        let called = |step: u64| calls.called_by(ThreadId(0), Step(step)).map(|id| id.0);
        assert_eq!(
            (called(2), called(8), called(19), called(0), called(3)),
            (Some(1), Some(3), Some(5), None, None)
        );
        assert_eq!(calls.called_by(ThreadId(1), Step(2)), None);
    }

    #[test]
    fn steps_inside_go_to_the_end_of_the_trace_while_open() {
        let calls = nested();
        assert_eq!(calls.steps_inside(CallId(1)), Some((Step(3), Step(12))));
        assert_eq!(calls.steps_inside(CallId(4)), Some((Step(15), Step(19))));
        assert_eq!(calls.steps_inside(CallId(5)), None);
    }

    #[test]
    fn every_thread_has_a_tree_of_its_own() {
        let samples = [
            (1, None, Some(1), None),
            (1, Some(5), Some(7), Some(9)),
            (0, None, Some(0), None),
            (0, Some(4), Some(6), Some(12)),
        ];
        let calls = table_of(&samples, 20);
        assert_eq!(ids(calls.roots()), [0, 2]);
        assert_eq!(
            (
                ids(calls.children(CallId(0))),
                ids(calls.children(CallId(2)))
            ),
            (vec![1], vec![3])
        );
        assert_eq!(ids(calls.path_at(ThreadId(0), Position(8))), [0, 1]);
        assert_eq!(ids(calls.path_at(ThreadId(1), Position(8))), [2, 3]);
        assert_eq!(calls.called_by(ThreadId(1), Step(4)), None);
    }

    #[test]
    fn a_thread_without_a_step_has_no_tree() {
        let calls = table_of(&[(0, None, Some(0), None), (2, None, Some(1), None)], 2);
        assert_eq!(ids(calls.roots()), [0, 1]);
        assert_eq!(calls.innermost_at(ThreadId(1), Position(1)), None);
        assert!(table_of(&[], 0).is_empty());
    }

    #[test]
    fn what_a_call_on_another_stack_outlives_is_no_ancestor_of_what_comes_later() {
        let samples = [
            (0, None, Some(0), None),
            (0, Some(2), Some(3), Some(10)),
            (0, Some(5), Some(6), Some(15)),
            (0, Some(12), Some(13), Some(14)),
        ];
        let calls = table_of(&samples, 20);
        assert_eq!(ids(calls.path_at(ThreadId(0), Position(11))), [0, 1, 2]);
        assert_eq!(
            calls.innermost_at(ThreadId(0), Position(11)),
            Some(CallId(2))
        );
        assert_eq!(ids(calls.children(CallId(0))), [1]);
    }

    #[test]
    fn the_frames_around_a_position_are_found_at_every_depth_of_a_deep_stack() {
        // Frame n is called by step n - 1 and left by step 1999 - n.
        let call = |level: u64| {
            (
                0,
                level.checked_sub(1),
                Some(level),
                Some(1999 - level).filter(|_| level > 0),
            )
        };
        let calls = table_of(&(0..1000).map(call).collect::<Vec<_>>(), 2000);
        for position in 1..2000 {
            let depth = if position < 1000 {
                position
            } else {
                1999 - position
            };
            assert_eq!(
                calls.innermost_at(ThreadId(0), Position(position)),
                Some(CallId(depth)),
                "{position}"
            );
        }
        assert_eq!(calls.path_at(ThreadId(0), Position(1500)).len(), 500);
        let part = |position, depths| {
            let innermost = calls.innermost_at(ThreadId(0), Position(position)).unwrap();
            ids(calls.part_of_path(innermost, depths))
        };
        assert_eq!(part(1500, 0..3), [0, 1, 2]);
        assert_eq!(part(1998, 0..3), [0, 1]);
        assert_eq!(part(1500, 0..0), []);
        assert_eq!(part(1500, 1..3), [1, 2]);
        assert_eq!(part(1998, 2..9), []);
    }
}
