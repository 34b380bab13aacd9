//! Unfinished frames and return points of a thread, in traces whose records classify branches. Each
//! redirection of control by the kernel begins a level of [`RecordedFrames`], and a return ends no
//! call of another level. Within a level, the stack pointer orders the calls of each run.
//! [`ReturnPoints`] keeps the places to which calls returned, because a jump
//! to one may be a longjmp.

use std::ops::Range;

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::builder::calls::pending::RootEntry;
use crate::builder::calls::pending_frames::FAR;
use crate::builder::calls::sorted_map;
use crate::builder::segment::turns::{BranchSite, TurningBranch};

/// A step that calls, returns or jumps to a computed address.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct BranchStep {
    /// Step of the branch.
    pub step: u64,
    /// Last step of the function that it leaves: the branch, or the step in its delay slot.
    pub last_step: u64,
    /// Kind of the branch.
    pub kind: TurningBranch,
    /// Addresses of the branch, of its delay slot and of the next instruction.
    pub site: BranchSite,
    /// Stack address of the return address.
    pub stack: Option<u64>,
    /// Branch target, if no step follows.
    pub target: Option<u64>,
    /// True if a marker came before the step at its destination.
    pub is_interrupted: bool,
}

impl BranchStep {
    /// Returns true if this is a call that was made, when control is at `address`: not at the
    /// branch, in its slot or after it.
    pub fn has_called(&self, address: u64) -> bool {
        let BranchSite {
            pc,
            slot_pc,
            next_pc,
        } = self.site;
        self.kind == TurningBranch::Call && ![pc, slot_pc.unwrap_or(pc), next_pc].contains(&address)
    }
}

/// A step at the destination of a branch, or after a redirection.
#[derive(Clone, Copy, Debug)]
pub struct ArrivalStep {
    /// Number and address of the step.
    pub entry: RootEntry,
    /// Stack pointer when the step began; none when unknown.
    pub sp: Option<u64>,
    /// True if the stack pointer is known to have risen since the last arrival.
    pub has_risen: bool,
    /// True if calls write their return address into a register.
    pub is_linked: bool,
}

impl ArrivalStep {
    /// Returns the end of the stack pointers with which calls began that have returned, if one of
    /// them returned here. On x86 a return raises the stack pointer.
    pub fn returned_end(&self) -> Option<u64> {
        let sp = self.sp?;
        Some(if self.is_linked {
            sp.saturating_add(1)
        } else {
            sp
        })
    }
}

/// A redirection of control by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirection {
    /// Destination kind.
    pub kind: RedirectionKind,
    /// Interrupted address. At the end of a redirection: the address at which control continues.
    /// None when unknown.
    pub address: Option<u64>,
}

/// Part of the kernel, or kind of handler, to which control was redirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RedirectionKind {
    /// Handler of a signal.
    Signal,
    /// Kernel, for a system call.
    SystemCall,
    /// Kernel, for a switch to another thread.
    ContextSwitch,
    /// Kernel, by an exception or interrupt.
    Hardware,
}

/// An unfinished frame.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RecordedFrame {
    /// Step that called, or that was interrupted.
    pub call_step: u64,
    /// First step inside; none if it was interrupted before that.
    pub entry_step: Option<u64>,
    /// Address of the first step.
    pub function: u64,
    /// Stack pointer when the first step began; none when unknown.
    pub sp: Option<u64>,
    /// Kind of the frame.
    pub kind: RecordedKind,
}

/// Kind of an unfinished frame.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum RecordedKind {
    /// A call.
    Call {
        /// Return address.
        return_address: u64,
        /// Stack address of the return address.
        stack: Option<u64>,
    },
    /// A redirection of control.
    Redirection {
        /// Kind of the redirection and the interrupted address.
        redirection: Redirection,
        /// Branch whose destination was not reached yet.
        interrupted: Option<BranchStep>,
        /// Stack address of the first return address inside.
        own_stack: Option<u64>,
    },
}

impl RecordedFrame {
    /// Creates the frame of a call, before its first step.
    pub fn called(branch: BranchStep, function: u64) -> Self {
        let kind = RecordedKind::Call {
            return_address: branch.site.next_pc,
            stack: branch.stack,
        };
        Self {
            call_step: branch.step,
            entry_step: None,
            function,
            sp: None,
            kind,
        }
    }

    /// Returns the stack address of its return address, if it is a call.
    pub fn stack(&self) -> Option<u64> {
        if let RecordedKind::Call { stack, .. } = self.kind {
            stack
        } else {
            None
        }
    }

    /// Returns the stack pointer at its first step, if it is a call. On x86 the return address is
    /// there.
    pub fn entry_sp(&self) -> Option<u64> {
        let is_call = matches!(self.kind, RecordedKind::Call { .. });
        self.stack().or(self.sp.filter(|_| is_call))
    }

    /// Returns true if it is a call that returns to an address.
    pub fn returns_to(&self, address: u64) -> bool {
        matches!(self.kind, RecordedKind::Call { return_address, .. } if return_address == address)
    }

    /// Returns the return address, if it is a call.
    pub fn return_address(&self) -> Option<u64> {
        match self.kind {
            RecordedKind::Call { return_address, .. } => Some(return_address),
            RecordedKind::Redirection { .. } => None,
        }
    }

    /// Returns the keys by which returns find it.
    fn return_keys(&self) -> impl Iterator<Item = RecordedReturnKey> + use<> {
        let slot = self.stack().map_or(ReturnSlot::Unknown, ReturnSlot::At);
        let address = self.return_address().into_iter();
        address.flat_map(move |address| [(address, ReturnSlot::Any), (address, slot)])
    }

    /// Returns true if both are calls on one stack, and the other one may have made this one.
    fn is_near_inside(&self, outer: &Self) -> bool {
        let both = self.entry_sp().zip(outer.entry_sp());
        both.is_some_and(|(inner, outer)| inner <= outer && outer - inner <= FAR)
    }

    /// Returns true if it is a redirection of control.
    pub fn is_redirection(&self) -> bool {
        matches!(self.kind, RecordedKind::Redirection { .. })
    }
}

/// Key of a return: the return address, and its stack address.
type RecordedReturnKey = (u64, ReturnSlot);

/// Stack address of a return address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ReturnSlot {
    /// Any, known or not.
    Any,
    Unknown,
    At(u64),
}

/// Maximum number of runs of frames that are searched for those that a jump left.
const RUNS: usize = 1024;

/// Unfinished frames of a thread, innermost last.
///
/// Each redirection begins a level: a return ends no call of another level.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<RecordedFrame>", into = "Vec<RecordedFrame>")]
pub struct RecordedFrames {
    frames: Vec<RecordedFrame>,
    /// Starts of the levels, without the first.
    levels: Vec<usize>,
    /// Starts of the runs: frames that each began near the frame before, with a stack pointer that
    /// is not higher. Between two runs the stack changed, or a frame is large.
    runs: Vec<usize>,
    /// Number of calls by level and key: deep recursion is searched only when the search will
    /// succeed.
    returns: HashMap<(usize, RecordedReturnKey), u32>,
}

impl From<Vec<RecordedFrame>> for RecordedFrames {
    fn from(frames: Vec<RecordedFrame>) -> Self {
        let mut all = Self::default();
        frames.into_iter().for_each(|frame| all.push(frame));
        all
    }
}

impl From<RecordedFrames> for Vec<RecordedFrame> {
    fn from(frames: RecordedFrames) -> Self {
        frames.frames
    }
}

impl RecordedFrames {
    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Iterates over all frames, outermost first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RecordedFrame> {
        self.frames.iter()
    }

    /// Returns the frame at a place.
    pub fn get(&self, place: usize) -> Option<&RecordedFrame> {
        self.frames.get(place)
    }

    /// Returns the innermost frame.
    pub fn last(&self) -> Option<&RecordedFrame> {
        self.frames.last()
    }

    /// Replaces the innermost frame, to record its entry.
    pub fn replace_last(&mut self, frame: RecordedFrame) {
        if self.pop().is_some() {
            self.push(frame);
        }
    }

    /// Adds the innermost frame.
    pub fn push(&mut self, frame: RecordedFrame) {
        if frame.is_redirection() {
            self.levels.push(self.frames.len() + 1);
        }
        for key in frame.return_keys() {
            *self.returns.entry((self.levels.len(), key)).or_default() += 1;
        }
        let is_near = |outer| frame.is_near_inside(outer);
        if !self.frames.last().is_some_and(is_near) {
            self.runs.push(self.frames.len());
        }
        self.frames.push(frame);
    }

    /// Removes the innermost frame.
    pub fn pop(&mut self) -> Option<RecordedFrame> {
        let frame = self.frames.pop()?;
        for key in frame.return_keys() {
            let key = (self.levels.len(), key);
            if let Some(count) = self.returns.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.returns.remove(&key);
                }
            }
        }
        if frame.is_redirection() {
            self.levels.pop();
        }
        self.runs.pop_if(|start| *start == self.frames.len());
        Some(frame)
    }

    /// Removes `count` of the outermost frames and returns them, outermost first.
    pub fn take_outermost(&mut self, count: usize) -> Vec<RecordedFrame> {
        let mut outermost = std::mem::take(&mut self.frames);
        let kept = outermost.split_off(count.min(outermost.len()));
        *self = kept.into();
        outermost
    }

    /// Returns the place of the first frame of the current level.
    pub fn level_start(&self) -> usize {
        self.levels.last().copied().unwrap_or(0)
    }

    /// Returns the innermost redirection around control.
    pub fn redirection(&self) -> Option<&RecordedFrame> {
        self.frames.get(self.level_start().checked_sub(1)?)
    }

    /// Returns the innermost redirection, to record its stack.
    pub fn redirection_mut(&mut self) -> Option<&mut RecordedFrame> {
        let place = self.level_start().checked_sub(1)?;
        self.frames.get_mut(place)
    }

    /// Iterates over the redirections and their places, innermost first.
    pub fn redirections(&self) -> impl Iterator<Item = (usize, &RecordedFrame)> {
        let places = self
            .levels
            .iter()
            .rev()
            .filter_map(|start| start.checked_sub(1));
        places.filter_map(|place| Some((place, self.frames.get(place)?)))
    }

    /// Returns the place of the innermost call of the current level that returns to an address.
    pub fn returning_to(&self, address: u64, stack: Option<u64>) -> Option<usize> {
        let place = self.frames.len().checked_sub(1);
        let last = self.frames.last()?;
        // A retpoline puts another address there.
        let is_last = match stack {
            Some(_) => last.stack() == stack,
            None => last.returns_to(address),
        };
        if is_last {
            return place;
        }
        let level = self.levels.len();
        let slots = match stack {
            Some(stack) => [ReturnSlot::At(stack), ReturnSlot::Unknown],
            None => [ReturnSlot::Any; 2],
        };
        let key = slots
            .into_iter()
            .map(|slot| (address, slot))
            .find(|key| self.returns.contains_key(&(level, *key)))?;
        self.frames
            .iter()
            .rposition(|frame| frame.return_keys().any(|own| own == key))
    }

    /// Iterates over the ranges of places, innermost first, of the calls of the current level that
    /// began with a stack pointer below `end`, up to one that did not.
    fn begun_below(&self, end: u64) -> impl Iterator<Item = Range<usize>> {
        let mut inner = self.frames.len();
        let starts = self.runs.iter().rev().take(RUNS);
        starts.map_while(move |start| {
            let run = self.frames.get(*start..inner)?;
            let is_above = |frame: &RecordedFrame| frame.entry_sp().is_none_or(|own| own >= end);
            let below = start + run.partition_point(is_above)..inner;
            // Nothing further out is below.
            inner = if below.start == *start { *start } else { 0 };
            (!below.is_empty()).then_some(below)
        })
    }

    /// Returns the place from which calls are over if those on the stack in use are that began with
    /// a stack pointer below `end`, and the place from which all began below it. Calls that all
    /// began far below are on another stack.
    pub fn over_below(&self, end: u64) -> Option<(Option<usize>, usize)> {
        let mut over = None;
        let mut all = None;
        for range in self.begun_below(end) {
            let outermost = self.frames.get(range.start)?;
            if outermost.entry_sp().is_some_and(|own| is_near(own, end)) {
                over = Some(range.start);
            }
            all = Some(range.start);
        }
        Some((over, all?))
    }

    /// Returns the place of the outermost call that returns to an address and began near below
    /// `end`.
    pub fn returning_near(&self, address: u64, end: u64) -> Option<usize> {
        let key = (self.levels.len(), (address, ReturnSlot::Any));
        self.returns.get(&key)?;
        let in_range = |range: Range<usize>| {
            let near = self.frames.get(range.clone())?.iter().take(FAR as usize);
            let mut near =
                near.take_while(|frame| frame.entry_sp().is_some_and(|own| is_near(own, end)));
            Some(range.start + near.position(|frame| frame.returns_to(address))?)
        };
        self.begun_below(end).filter_map(in_range).last()
    }
}

/// Returns true if a call that began with a stack pointer below `end` may have been on the stack
/// that ends there.
pub fn is_near(own: u64, end: u64) -> bool {
    own < end && end - own <= FAR
}

/// Number of points below which useless ones are never removed.
const FEW: usize = 1024;

/// A place to which a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnPoint {
    /// Number of frames pending after the return.
    pub depth: usize,
    /// Call step of the innermost of them.
    pub caller: Option<u64>,
    /// Last step that returned to this point.
    pub step: u64,
}

/// Return points of a thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReturnPoints {
    /// Points by address, the deepest last.
    #[serde(serialize_with = "sorted_map::serialize")]
    by_address: HashMap<u64, Vec<ReturnPoint>>,
    count: usize,
    /// Number of points after the last removal of useless ones.
    kept: usize,
}

impl ReturnPoints {
    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Adds a point, which replaces those of its address that are as deep or deeper.
    pub fn add(&mut self, address: u64, point: ReturnPoint) {
        let points = self.by_address.entry(address).or_default();
        while points.pop_if(|known| known.depth >= point.depth).is_some() {
            self.count -= 1;
        }
        points.push(point);
        self.count += 1;
    }

    /// Returns the deepest point of an address for which `holds` is true; deeper ones are
    /// forgotten.
    pub fn deepest(
        &mut self,
        address: u64,
        holds: impl Fn(&ReturnPoint) -> bool,
    ) -> Option<ReturnPoint> {
        let points = self.by_address.get_mut(&address)?;
        while points.pop_if(|point| !holds(point)).is_some() {
            self.count -= 1;
        }
        let deepest = points.last().copied();
        if deepest.is_none() {
            self.by_address.remove(&address);
        }
        deepest
    }

    /// Returns true if the count has doubled since the last removal of useless points, and exceeds
    /// `besides`, the number of other items that a removal visits.
    pub fn are_doubled(&self, besides: usize) -> bool {
        self.count > (2 * self.kept).max(FEW).max(besides)
    }

    /// Forgets the points that are useless. O(n).
    pub fn retain(&mut self, mut is_kept: impl FnMut(&ReturnPoint) -> bool) {
        self.by_address.retain(|_, points| {
            points.retain(&mut is_kept);
            !points.is_empty()
        });
        self.count = self.by_address.values().map(Vec::len).sum();
        self.kept = self.count;
    }

    /// Keeps `count` of the most recent points. O(n log n).
    pub fn keep_newest(&mut self, count: usize) {
        let Some(gone) = self.count.checked_sub(count).filter(|gone| *gone > 0) else {
            return;
        };
        let mut steps: Vec<u64> = self
            .by_address
            .values()
            .flatten()
            .map(|point| point.step)
            .collect();
        steps.sort_unstable();
        let oldest_kept = steps.get(gone).copied();
        self.retain(|point| oldest_kept.is_some_and(|oldest| point.step >= oldest));
    }

    /// Removes `gone` of the outermost frames from all depths.
    pub fn drop_outermost(&mut self, gone: usize) {
        self.retain(|point| point.depth > gone);
        self.by_address
            .values_mut()
            .flatten()
            .for_each(|point| point.depth -= gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(depth: usize, step: u64) -> ReturnPoint {
        ReturnPoint {
            depth,
            caller: None,
            step,
        }
    }

    #[test]
    fn the_oldest_go_first_and_a_place_that_is_returned_to_again_is_new() {
        let mut points = ReturnPoints::default();
        (0..10).for_each(|number| points.add(0x1000 + number, point(0, number)));
        points.add(0x1000, point(0, 20));
        points.keep_newest(3);
        let known = |points: &mut ReturnPoints, number: u64| {
            points.deepest(0x1000 + number, |_| true).is_some()
        };
        assert_eq!(
            (0..10)
                .filter(|number| known(&mut points, *number))
                .collect::<Vec<_>>(),
            [0, 8, 9]
        );
        assert_eq!(points.len(), 3);
    }

    #[test]
    fn they_are_counted() {
        let mut points = ReturnPoints::default();
        for (depth, step) in [(1, 1), (3, 2), (5, 3), (3, 4)] {
            points.add(0x1000, point(depth, step));
        }
        assert_eq!(
            points.len(),
            2,
            "one of depth 1, and the later one of depth 3"
        );
        points.drop_outermost(1);
        assert_eq!(
            (points.len(), points.deepest(0x1000, |_| true)),
            (1, Some(point(2, 4)))
        );
        assert_eq!((points.deepest(0x1000, |_| false), points.len()), (None, 0));
    }
}
