//! Stacks of a thread: tasks of an operating system on one CPU, or coroutines.
//!
//! A thread switches to another stack in one of two ways. First, an exception returns to an address
//! other than the interrupted one: to code interrupted on another stack, or with a stack pointer
//! that this stack never had, or far from where it came from. If the handler set the stack pointer
//! of the interrupted mode (PSP, SP_EL0, r13_usr) while it used another, that value decides, since
//! two tasks often wait at the same address. Second, the stack pointer is set, not moved, far from
//! all its values on this stack, and control continues by a return that matches no call of this
//! stack.

use serde::{Deserialize, Serialize};
use stepback_machine::flow::FlowKind;

use crate::builder::calls::jump::{JumpContext, branch_target};
use crate::builder::calls::pending::{PendingFrame, PendingKind, ReturnKey, RootFrame};
use crate::builder::calls::pending_frames::{FAR, PendingFrames};

/// Maximum distance between values of a stack pointer on the same stack, where an exception
/// returns.
const NEAR: u64 = 512;
/// Maximum distance in bytes from the interrupted address at which an exception may return to step
/// over instructions.
pub const SKIPPED: u64 = 64;

/// A stack of a thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ThreadCallStack {
    /// Unfinished frames.
    pub pending: PendingFrames,
    /// Outermost known frame; none before the first step.
    pub root: Option<RootFrame>,
    /// Exception that switched away from it.
    pub turned_away_by: Option<PendingFrame>,
}

/// Stacks of a thread.
pub type CallStacks = StackSet<ThreadCallStack>;

impl ThreadStack for ThreadCallStack {
    fn kept(&self) -> RetainedCounts {
        RetainedCounts {
            frames: self.pending.len(),
            points: self.pending.return_points(),
        }
    }
}

impl CallStacks {
    /// Returns the unfinished frames on the stack in use.
    pub fn pending(&mut self) -> &mut PendingFrames {
        &mut self.in_use_mut().pending
    }

    /// Returns the stack to which a transfer of control switches that neither takes an exception
    /// nor returns from one.
    pub fn turned_by_set(&self, jump: &JumpContext, key: ReturnKey) -> Option<NextStack> {
        let is_return = jump.flow == FlowKind::Return;
        let goes_anywhere =
            is_return || jump.flow == FlowKind::Branch && branch_target(&jump.control).is_none();
        let own = &self.in_use().pending;
        let range = own.range();
        if !jump.is_sp_set
            || !goes_anywhere
            || range.is_near(jump.sp, 0)
            || own.returning_to(key).is_some()
        {
            return None;
        }
        let others = || {
            self.others()
                .filter(|(_, stack)| stack.pending.range().contains(jump.sp))
        };
        if let Some((number, _)) =
            others().find(|(_, stack)| stack.pending.returning_to(key).is_some())
        {
            return Some(NextStack::To(number));
        }
        if jump.sp.is_none() || range.is_near(jump.sp, FAR) {
            return None;
        }
        let other = others().next().map(|(number, _)| NextStack::To(number));
        let is_new = self.has_room() && (is_return || range.is_far_below(jump.sp));
        other.or(is_new.then_some(NextStack::New))
    }

    /// Returns the stack to which the return of a pending exception switches.
    pub fn turned_by_return(
        &self,
        place: usize,
        exception: &PendingFrame,
        jump: &JumpContext,
    ) -> Option<NextStack> {
        let PendingKind::Exception {
            interrupted,
            interrupted_step,
            ..
        } = exception.kind
        else {
            return None;
        };
        let own = &self.in_use().pending;
        // The value that the handler set while its own stack pointer was in use is certainly the
        // stack pointer.
        let set = jump.stack_set_since(interrupted_step.saturating_add(1));
        let (home, handler, sp) = (own.range_around(place), own.range(), set.or(jump.sp));
        let resumed = || {
            self.others().filter(|(_, stack)| {
                stack
                    .turned_away_by
                    .is_some_and(|by| by.resumes_at(jump.pc))
            })
        };
        if let Some(sp) = set {
            if exception.resumes_at(jump.pc) && exception.was_taken_at(sp) {
                return None;
            }
            let is_it = |stack: &ThreadCallStack| {
                stack.turned_away_by.is_some_and(|by| by.was_taken_at(sp))
            };
            if let Some((number, _)) = resumed().find(|(_, stack)| is_it(stack)) {
                return Some(NextStack::To(number));
            }
        }
        let with_sp = resumed()
            .find(|(_, stack)| stack.pending.range().contains(sp))
            .map(|(number, _)| NextStack::To(number));
        if exception.resumes_at(jump.pc) && set.is_none() {
            return with_sp.filter(|_| !home.contains(sp));
        }
        let by_address = || {
            resumed()
                .next()
                .filter(|_| set.is_none())
                .map(|(number, _)| NextStack::To(number))
        };
        let known = with_sp
            .filter(|_| set.is_none() || !home.contains(sp))
            .or_else(by_address);
        if known.is_some() {
            return known;
        }
        let is_own = home.contains(sp) || handler.contains(sp);
        let owner = self
            .others()
            .find(|(_, stack)| stack.pending.range().contains(sp))
            .filter(|_| !is_own);
        if let Some((number, _)) = owner {
            return Some(NextStack::To(number));
        }
        // After a jump through a register, any address may be right.
        let goes_on = !matches!(interrupted.control().flow, FlowKind::Next | FlowKind::Trap);
        let is_skip =
            set.is_none() && (goes_on || jump.pc.abs_diff(interrupted.next_pc()) <= SKIPPED);
        let is_new = !is_skip && !home.is_near(sp, NEAR) && self.has_room();
        is_new.then_some(NextStack::New)
    }
}

/// Maximum number of stacks of a thread. Beyond it, control that switches stacks stays on the stack
/// in use.
const STACKS: usize = 256;

/// A stack of a thread.
pub trait ThreadStack: Default {
    /// Returns the number of frames and points that it keeps.
    fn kept(&self) -> RetainedCounts;
}

/// Stack on which control continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStack {
    /// A stack that was used before.
    To(usize),
    /// A new stack.
    New,
}

/// Number of items that a thread keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetainedCounts {
    /// Unfinished frames.
    pub frames: usize,
    /// Return points.
    pub points: usize,
}

impl RetainedCounts {
    fn and(self, other: Self) -> Self {
        Self {
            frames: self.frames + other.frames,
            points: self.points + other.points,
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            frames: self.frames - other.frames,
            points: self.points - other.points,
        }
    }
}

/// Stacks of a thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    from = "SerializedStacks<S>",
    bound(deserialize = "S: ThreadStack + Deserialize<'de>")
)]
pub struct StackSet<S> {
    stacks: Vec<S>,
    current: usize,
    /// Counts of all stacks except the one in use.
    #[serde(skip)]
    elsewhere: RetainedCounts,
}

/// Serialised form.
#[derive(Deserialize)]
struct SerializedStacks<S> {
    stacks: Vec<S>,
    current: usize,
}

impl<S: ThreadStack> From<SerializedStacks<S>> for StackSet<S> {
    fn from(SerializedStacks { stacks, current }: SerializedStacks<S>) -> Self {
        let mut stacks = Self {
            stacks,
            current,
            elsewhere: RetainedCounts::default(),
        };
        stacks.count();
        stacks
    }
}

impl<S: ThreadStack> Default for StackSet<S> {
    fn default() -> Self {
        Self {
            stacks: vec![S::default()],
            current: 0,
            elsewhere: RetainedCounts::default(),
        }
    }
}

impl<S: ThreadStack> StackSet<S> {
    /// Returns true if the state can be resumed: a file may hold anything.
    pub fn is_consistent(&self) -> bool {
        self.current < self.stacks.len() && self.stacks.len() <= STACKS
    }

    /// Returns the number of the stack in use.
    pub fn current(&self) -> u32 {
        self.current as u32
    }

    /// Returns the stack in use.
    pub fn in_use(&self) -> &S {
        &self.stacks[self.current]
    }

    /// Returns the stack in use, to change it.
    pub fn in_use_mut(&mut self) -> &mut S {
        &mut self.stacks[self.current]
    }

    /// Iterates over all stacks and their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &S)> {
        (0..).zip(&self.stacks)
    }

    /// Iterates over the stacks that are not in use and their numbers.
    pub fn others(&self) -> impl Iterator<Item = (usize, &S)> {
        self.stacks
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != self.current)
    }

    /// Changes each stack, given its number.
    pub fn change_each(&mut self, mut change: impl FnMut(usize, &mut S)) {
        self.stacks
            .iter_mut()
            .enumerate()
            .for_each(|(number, stack)| change(number, stack));
        self.count();
    }

    /// Returns the counts of all stacks. O(1).
    #[inline]
    pub fn kept(&self) -> RetainedCounts {
        self.elsewhere.and(
            self.stacks
                .get(self.current)
                .map_or_else(RetainedCounts::default, S::kept),
        )
    }

    fn count(&mut self) {
        self.elsewhere = self
            .others()
            .map(|(_, stack)| stack.kept())
            .fold(RetainedCounts::default(), RetainedCounts::and);
    }

    /// Returns true if another stack may be added.
    pub fn has_room(&self) -> bool {
        self.stacks.len() < STACKS
    }

    /// Switches to another stack.
    pub fn turn(&mut self, turn: NextStack) {
        let all = self.kept();
        self.current = match turn {
            NextStack::To(number) => number,
            NextStack::New => {
                self.stacks.push(S::default());
                self.stacks.len() - 1
            }
        };
        self.elsewhere = all.without(self.in_use().kept());
    }
}
