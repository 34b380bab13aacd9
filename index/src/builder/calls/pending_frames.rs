//! Unfinished frames of one stack, innermost last ([`PendingFrames`]), with the range of its stack
//! pointer ([`SpRange`]). Exceptions and calls into the other security state use other stack
//! pointers, so each of them begins a level with a separate range. Counts by return key avoid
//! useless searches in deep recursion.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::builder::calls::pending::{PendingFrame, PendingKind, ReturnKey};
use crate::builder::calls::sorted_map;

/// Unfinished frames of a stack, innermost last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PendingFrames {
    frames: Vec<PendingFrame>,
    /// Exceptions and calls into the other security state among them, with the stack pointer range
    /// of each. These use other stack pointers, so the stack pointer inside one says nothing about
    /// the frames outside.
    levels: Vec<(usize, SpRange)>,
    /// Range of the stack pointer outside all exceptions.
    range: SpRange,
    /// Number of pending calls by key: deep recursion is searched only when the search will
    /// succeed.
    #[serde(serialize_with = "sorted_map::serialize")]
    returns: HashMap<ReturnKey, u32>,
    /// Return points by key: a jump to one is a longjmp to the place of a setjmp.
    #[serde(serialize_with = "sorted_map::serialize")]
    return_points: HashMap<ReturnKey, ReturnedCall>,
    /// Number of pending calls made while the stack pointer was unknown.
    unknown_stacks: u32,
}

/// A call that returned.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ReturnedCall {
    /// Number of frames pending after the return.
    pub pending: usize,
    /// Returning step.
    pub step: u64,
}

impl PendingFrames {
    /// Adds the innermost frame.
    pub fn push(&mut self, frame: PendingFrame) {
        if frame.is_call() {
            *self.returns.entry(frame.key).or_default() += 1;
            self.unknown_stacks += u32::from(frame.key.sp.is_none());
        }
        if frame.has_own_stack() {
            self.levels.push((self.frames.len(), SpRange::default()));
        }
        self.frames.push(frame);
    }

    /// Returns true if the counts agree with the frames: a file may hold anything.
    pub fn is_consistent(&self) -> bool {
        let mut expected = Self::default();
        self.frames.iter().for_each(|frame| expected.push(*frame));
        let places = |frames: &Self| {
            frames
                .levels
                .iter()
                .map(|(place, _)| *place)
                .collect::<Vec<_>>()
        };
        (&expected.returns, expected.unknown_stacks) == (&self.returns, self.unknown_stacks)
            && places(&expected) == places(self)
    }

    /// Iterates over all frames, outermost first.
    pub fn iter(&self) -> impl Iterator<Item = &PendingFrame> {
        self.frames.iter()
    }

    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Removes `count` of the outermost frames and returns them, outermost first.
    pub fn take_outermost(&mut self, count: usize) -> Vec<PendingFrame> {
        let taken: Vec<_> = self.frames.drain(..count.min(self.frames.len())).collect();
        taken.iter().for_each(|frame| self.forget_return(frame));
        let inside = self
            .levels
            .partition_point(|(place, _)| *place < taken.len());
        self.range = self
            .levels
            .drain(..inside)
            .next_back()
            .map_or(self.range, |(_, range)| range);
        self.levels
            .iter_mut()
            .for_each(|(place, _)| *place -= taken.len());
        self.return_points
            .values_mut()
            .for_each(|to| to.pending = to.pending.saturating_sub(taken.len()));
        taken
    }

    /// Returns the place of the first frame inside the innermost level, or 0 outside of all.
    fn inside(&self) -> usize {
        self.levels.last().map_or(0, |(place, _)| place + 1)
    }

    /// Returns the stack pointer range inside the innermost level, or outside of all.
    pub fn range(&self) -> SpRange {
        self.levels.last().map_or(self.range, |(_, range)| *range)
    }

    /// Returns the stack pointer range outside of a pending exception.
    pub fn range_around(&self, place: usize) -> SpRange {
        let outer = self
            .levels
            .iter()
            .rev()
            .find(|(exception, _)| *exception < place);
        outer.map_or(self.range, |(_, range)| *range)
    }

    /// Records the stack pointer. Inside an exception it counts once it was written there.
    pub fn note_sp(&mut self, sp: Option<u64>, written: Option<u64>) {
        let Some(sp) = sp else { return };
        match self.levels.last_mut() {
            None => self.range.widen(sp),
            Some((place, range)) => {
                let is_own = self
                    .frames
                    .get(*place)
                    .is_some_and(|frame| written > Some(frame.call_step));
                if is_own {
                    range.widen(sp);
                }
            }
        }
    }

    /// Returns true if nothing certain is pending: no exception, and no certain call.
    pub fn has_nothing_certain(&self) -> bool {
        self.levels.is_empty() && !self.frames.iter().any(PendingFrame::is_certain_call)
    }

    /// Returns the place of the innermost level, if it is an exception.
    fn innermost_exception(&self) -> Option<usize> {
        let (place, _) = *self.levels.last()?;
        Some(place).filter(|place| {
            self.frames
                .get(*place)
                .is_some_and(|frame| !frame.is_call())
        })
    }

    /// Returns the frame at a place.
    pub fn get(&self, place: usize) -> Option<&PendingFrame> {
        self.frames.get(place)
    }

    /// Returns true if a pending call has this return key.
    pub fn has_return(&self, key: ReturnKey) -> bool {
        self.returns.contains_key(&key)
    }

    /// Returns the place of the innermost call that returns to an address with this stack pointer,
    /// or else with an unknown one.
    pub fn returning_to(&self, key: ReturnKey) -> Option<usize> {
        let by_address = (self.unknown_stacks > 0).then_some(ReturnKey { sp: None, ..key });
        let is_pending = |key: &ReturnKey| self.has_return(*key);
        let key = Some(key)
            .filter(is_pending)
            .or(by_address.filter(is_pending))?;
        self.frames
            .iter()
            .rposition(|frame| frame.is_call() && frame.key == key)
    }

    /// Returns the place of the innermost call made with this stack pointer, or else with an
    /// unknown one.
    pub fn made_with(&self, sp: Option<u64>) -> Option<usize> {
        let made_with = |sp| {
            self.frames
                .iter()
                .rposition(|frame: &PendingFrame| frame.is_call() && frame.key.sp == sp)
        };
        [sp, None].into_iter().find_map(made_with)
    }

    /// Returns the place of the innermost call with this key inside the innermost level.
    pub fn repeated(&self, key: ReturnKey) -> Option<usize> {
        let inside = self
            .frames
            .get(self.inside()..)
            .filter(|_| self.has_return(key))?;
        Some(self.inside() + inside.iter().rposition(|frame| frame.key == key)?)
    }

    /// Returns the innermost exception, if it ends when control reaches an address.
    pub fn resumed_at(&self, pc: u64) -> Option<usize> {
        self.innermost_exception().filter(|place| {
            self.frames
                .get(*place)
                .is_some_and(|frame| frame.resumes_at(pc))
        })
    }

    /// Returns the innermost exception, if it returns by its link register value and no call inside
    /// it is pending.
    pub fn linked(&self) -> Option<usize> {
        let place = self.innermost_exception()?;
        let is_linked = matches!(
            self.frames[place].kind,
            PendingKind::Exception {
                is_linked: true,
                ..
            }
        );
        let is_inside = self.frames[place..]
            .iter()
            .any(PendingFrame::is_certain_call);
        (is_linked && !is_inside).then_some(place)
    }

    /// Returns the innermost exception that ends when control reaches an address, or else the
    /// innermost one.
    pub fn left_to(&self, pc: u64) -> Option<usize> {
        let is_exception = |place: &usize| {
            self.frames
                .get(*place)
                .is_some_and(|frame| !frame.is_call())
        };
        let places = || {
            self.levels
                .iter()
                .rev()
                .map(|(place, _)| *place)
                .filter(is_exception)
        };
        places()
            .find(|place| self.frames[*place].resumes_at(pc))
            .or_else(|| places().next())
    }

    /// Removes a frame and all inside it; returns them, outermost first.
    pub fn take_from(&mut self, place: usize) -> Vec<PendingFrame> {
        let taken: Vec<_> = self.frames.drain(place.min(self.frames.len())..).collect();
        while self
            .levels
            .pop_if(|(exception, _)| *exception >= place)
            .is_some()
        {}
        taken.iter().for_each(|frame| self.forget_return(frame));
        taken
    }

    /// Records that the call with this key returned: a longjmp may go to the same place.
    pub fn note_return(&mut self, key: ReturnKey, returned: ReturnedCall) {
        self.return_points.insert(key, returned);
    }

    /// Returns the number of return points.
    pub fn return_points(&self) -> usize {
        self.return_points.len()
    }

    /// Keeps `count` of the most recent return points. O(n log n).
    pub fn keep_newest_points(&mut self, count: usize) {
        let Some(gone) = self
            .return_points
            .len()
            .checked_sub(count)
            .filter(|gone| *gone > 0)
        else {
            return;
        };
        let mut steps: Vec<u64> = self
            .return_points
            .values()
            .map(|returned| returned.step)
            .collect();
        steps.sort_unstable();
        let oldest_kept = steps.get(gone).copied();
        self.return_points
            .retain(|_, returned| oldest_kept.is_some_and(|oldest| returned.step >= oldest));
    }

    /// Removes the calls whose stack is gone, innermost first.
    pub fn lose_below(&mut self, risen: Option<u64>) -> Vec<PendingFrame> {
        let inside = self.inside();
        let mut lost = Vec::new();
        while self.frames.len() > inside
            && let Some(top) = self
                .frames
                .pop_if(|top| top.key.sp.is_some_and(|sp| Some(sp) < risen))
        {
            self.forget_return(&top);
            lost.push(top);
        }
        lost
    }

    /// Marks the calls that a jump may have left although the stack pointer did not rise above
    /// theirs, because it equals that of their caller. Either calls inside them were left, or a
    /// call of their caller returned to that place before.
    pub fn suspect_jump(&mut self, to: ReturnKey, lost: &[PendingFrame], step: u64) {
        let is_suspect = |frame: &PendingFrame| frame.key.sp == to.sp && frame.jumped_out.is_none();
        if !self.frames.last().is_some_and(is_suspect) {
            return;
        }
        let is_far = lost.iter().any(PendingFrame::is_certain_call);
        let Some(kept) = is_far
            .then_some(0)
            .or_else(|| self.return_points.get(&to).map(|to| to.pending))
        else {
            return;
        };
        let inside = self.inside();
        let callees = self.frames.iter_mut().skip(kept.max(inside)).rev();
        for frame in callees.take_while(|frame| is_suspect(frame)) {
            frame.jumped_out = Some(step);
        }
    }

    /// Clears the suspicion that a jump left the frames around a call that returned after the jump.
    pub fn confirm_return(&mut self, returned: &PendingFrame) {
        for frame in self.frames.iter_mut().rev() {
            if frame
                .jumped_out
                .is_none_or(|jump| jump < returned.call_step)
            {
                break;
            }
            frame.jumped_out = None;
        }
    }

    fn forget_return(&mut self, frame: &PendingFrame) {
        if !frame.is_call() {
            return;
        }
        self.unknown_stacks -= u32::from(frame.key.sp.is_none());
        if let std::collections::hash_map::Entry::Occupied(mut count) =
            self.returns.entry(frame.key)
        {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// Maximum distance from the known range at which the stack pointer is set within the same stack:
/// room for local variables.
pub const FAR: u64 = 4096;

/// Range of the stack pointer on a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpRange(Option<(u64, u64)>);

impl SpRange {
    /// Adds a value.
    pub fn widen(&mut self, sp: u64) {
        let (low, high) = self.0.unwrap_or((sp, sp));
        self.0 = Some((low.min(sp), high.max(sp)));
    }

    /// Returns true if a value lies within the range.
    pub fn contains(&self, sp: Option<u64>) -> bool {
        self.is_near(sp, 0) && self.0.is_some()
    }

    /// Returns true if a value lies at most `distance` outside the range, or the range is empty.
    pub fn is_near(&self, sp: Option<u64>, distance: u64) -> bool {
        let Some(sp) = sp else { return false };
        self.0.is_none_or(|(low, high)| {
            (low.saturating_sub(distance)..=high.saturating_add(distance)).contains(&sp)
        })
    }

    /// Returns true if the range extends above a value.
    pub fn is_above(&self, sp: Option<u64>) -> bool {
        self.0.zip(sp).is_some_and(|((_, high), sp)| sp < high)
    }

    /// Returns true if the whole range lies far below a value.
    pub fn is_far_below(&self, sp: Option<u64>) -> bool {
        self.0
            .zip(sp)
            .is_some_and(|((_, high), sp)| sp > high.saturating_add(FAR))
    }
}
