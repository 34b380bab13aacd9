//! The frames of a stack that are not over yet.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::builder::calls::pending::{PendingFrame, PendingKind, ReturnKey};
use crate::builder::calls::sp_range::SpRange;

/// The frames of a thread that are not over yet, innermost last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PendingFrames {
    frames: Vec<PendingFrame>,
    /// The exceptions and calls into the other security state among them, which use other stack pointers:
    /// what happens to the stack pointer inside one
    /// says nothing about the frames outside.
    levels: Vec<(usize, SpRange)>,
    /// What the stack pointer was outside of all exceptions.
    range: SpRange,
    /// How many pending calls have each key: a search through deep recursion is made only when it will succeed.
    returns: HashMap<ReturnKey, u32>,
    /// Where calls returned to: a jump there is a longjmp to the place of a setjmp.
    return_points: HashMap<ReturnKey, ReturnedCall>,
    /// How many pending calls were made while the stack pointer was unknown.
    unknown_stacks: u32,
}

/// A call that returned.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ReturnedCall {
    /// How many frames were pending then.
    pub pending: usize,
    /// The step that returned.
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

    /// Whether the counts agree with the frames: a file may hold anything.
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

    /// All frames, outermost first.
    pub fn iter(&self) -> impl Iterator<Item = &PendingFrame> {
        self.frames.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Takes out so many of the outermost, outermost first.
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

    /// Where the frames of the innermost exception begin, or else those of the thread.
    fn inside(&self) -> usize {
        self.levels.last().map_or(0, |(place, _)| place + 1)
    }

    /// What the stack pointer was inside the innermost exception, or else outside of all.
    pub fn range(&self) -> SpRange {
        self.levels.last().map_or(self.range, |(_, range)| *range)
    }

    /// The same outside of a pending exception.
    pub fn range_around(&self, place: usize) -> SpRange {
        let outer = self
            .levels
            .iter()
            .rev()
            .find(|(exception, _)| *exception < place);
        outer.map_or(self.range, |(_, range)| *range)
    }

    /// Notes what the stack pointer is. Inside an exception that counts once it was written there.
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

    /// Whether nothing is pending that is certain: no exception, and no call that surely was one.
    pub fn has_nothing_certain(&self) -> bool {
        self.levels.is_empty() && !self.frames.iter().any(PendingFrame::is_certain_call)
    }

    /// The innermost level, if it is an exception.
    fn innermost_exception(&self) -> Option<usize> {
        let (place, _) = *self.levels.last()?;
        Some(place).filter(|place| {
            self.frames
                .get(*place)
                .is_some_and(|frame| !frame.is_call())
        })
    }

    /// The frame at a place.
    pub fn get(&self, place: usize) -> Option<&PendingFrame> {
        self.frames.get(place)
    }

    /// Whether a call is pending that returns so.
    pub fn has_return(&self, key: ReturnKey) -> bool {
        self.returns.contains_key(&key)
    }

    /// Where the innermost call is that returns to an address with a stack pointer, or else with none known.
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

    /// Where the innermost call is that was made with a stack pointer, or else with none known.
    pub fn made_with(&self, sp: Option<u64>) -> Option<usize> {
        let made_with = |sp| {
            self.frames
                .iter()
                .rposition(|frame: &PendingFrame| frame.is_call() && frame.key.sp == sp)
        };
        [sp, None].into_iter().find_map(made_with)
    }

    /// Where the innermost call inside the innermost exception is that has a key.
    pub fn repeated(&self, key: ReturnKey) -> Option<usize> {
        let inside = self
            .frames
            .get(self.inside()..)
            .filter(|_| self.has_return(key))?;
        Some(self.inside() + inside.iter().rposition(|frame| frame.key == key)?)
    }

    /// The innermost exception, if it ends when control comes to an address.
    pub fn resumed_at(&self, pc: u64) -> Option<usize> {
        self.innermost_exception().filter(|place| {
            self.frames
                .get(*place)
                .is_some_and(|frame| frame.resumes_at(pc))
        })
    }

    /// The innermost exception, if it returns by what the link register then said, and no call inside it is pending.
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

    /// The innermost exception that ends when control comes to an address, or else the innermost one.
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

    /// Takes out a frame and all inside it, outermost first.
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

    /// Notes that the call with a key returned: a longjmp may go to the same place.
    pub fn note_return(&mut self, key: ReturnKey, returned: ReturnedCall) {
        self.return_points.insert(key, returned);
    }

    /// How many places it knows that calls returned to.
    pub fn return_points(&self) -> usize {
        self.return_points.len()
    }

    /// Keeps so many of the places that calls returned to last. O(n log n).
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

    /// Marks the calls that a jump may have left although the stack pointer did not rise above theirs:
    /// it is that of their caller. Either calls inside them were left, or a call of their caller returned to that place before.
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
