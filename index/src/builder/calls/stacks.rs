//! The stacks of a thread: tasks of an operating system on one CPU, coroutines.
//!
//! A thread switches to another stack in one of two ways.
//! An exception returns elsewhere than to what it interrupted: to what it interrupted on another stack,
//! or with a stack pointer that this stack never had, or far from where it came from.
//! Where the handler set the stack pointer of the interrupted mode (PSP, SP_EL0, r13_usr) while it used another,
//! that value decides, since two tasks often wait at the same address.
//! Or the stack pointer is set, not moved, far from all that it was on this stack, and control goes on by a return
//! that belongs to no call of this stack.

use serde::{Deserialize, Serialize};
use stepback_machine::Flow;

use crate::builder::calls::branches::branch_target;
use crate::builder::calls::jump::Jump;
use crate::builder::calls::pending::{Pending, PendingKind, ReturnKey};
use crate::builder::calls::pending_frames::PendingFrames;
use crate::builder::calls::root_frame::RootFrame;
use crate::builder::calls::sp_range::FAR;

/// Beyond this many stacks of a thread, new ones are not told from the one in use.
const STACKS: usize = 256;
/// The same for the stack pointer that an exception returns with.
const NEAR: u64 = 512;
/// How far from what it interrupted an exception may return to step over instructions.
const SKIPPED: u64 = 64;

/// A stack of a thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stack {
    /// Its frames that are not over yet.
    pub pending: PendingFrames,
    /// Its outermost known frame; none before the first step.
    pub root: Option<RootFrame>,
    /// The exception that turned away from it.
    pub turned_away_by: Option<Pending>,
}

/// Where control goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// To a stack that was used before.
    To(usize),
    /// To one that was not.
    New,
}

/// What a thread keeps for later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Frames that are not over yet.
    pub frames: usize,
    /// Places that calls returned to.
    pub points: usize,
}

impl Kept {
    fn on(stack: &Stack) -> Self {
        Self { frames: stack.pending.len(), points: stack.pending.return_points() }
    }

    fn and(self, other: Self) -> Self {
        Self { frames: self.frames + other.frames, points: self.points + other.points }
    }

    fn without(self, other: Self) -> Self {
        Self { frames: self.frames - other.frames, points: self.points - other.points }
    }
}

/// The stacks of a thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "KeptStacks")]
pub struct Stacks {
    stacks: Vec<Stack>,
    current: usize,
    /// On all stacks but the one in use.
    #[serde(skip)]
    elsewhere: Kept,
}

/// As a file has them.
#[derive(Deserialize)]
struct KeptStacks {
    stacks: Vec<Stack>,
    current: usize,
}

impl From<KeptStacks> for Stacks {
    fn from(KeptStacks { stacks, current }: KeptStacks) -> Self {
        let mut stacks = Self { stacks, current, elsewhere: Kept::default() };
        stacks.count();
        stacks
    }
}

impl Default for Stacks {
    fn default() -> Self {
        Self { stacks: vec![Stack::default()], current: 0, elsewhere: Kept::default() }
    }
}

impl Stacks {
    /// Whether it can be resumed: a file may hold anything.
    pub fn is_consistent(&self) -> bool {
        self.current < self.stacks.len()
            && self.stacks.len() <= STACKS
            && self.stacks.iter().all(|stack| stack.pending.is_consistent())
    }

    /// The number of the stack in use.
    pub fn current(&self) -> u32 {
        self.current as u32
    }

    /// The stack in use.
    pub fn in_use(&mut self) -> &mut Stack {
        &mut self.stacks[self.current]
    }

    /// The frames that are not over yet on the stack in use.
    pub fn pending(&mut self) -> &mut PendingFrames {
        &mut self.in_use().pending
    }

    /// All stacks with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Stack)> {
        (0..).zip(&self.stacks)
    }

    /// Changes each stack, given its number.
    pub fn change_each(&mut self, mut change: impl FnMut(usize, &mut Stack)) {
        self.stacks.iter_mut().enumerate().for_each(|(number, stack)| change(number, stack));
        self.count();
    }

    /// What is kept on all of them. O(1).
    #[inline]
    pub fn kept(&self) -> Kept {
        self.elsewhere.and(self.stacks.get(self.current).map_or_else(Kept::default, Kept::on))
    }

    fn count(&mut self) {
        self.elsewhere = self.others().map(|(_, stack)| Kept::on(stack)).fold(Kept::default(), Kept::and);
    }

    /// Takes another stack into use.
    pub fn turn(&mut self, turn: Turn) {
        let all = self.kept();
        self.current = match turn {
            Turn::To(number) => number,
            Turn::New => {
                self.stacks.push(Stack::default());
                self.stacks.len() - 1
            }
        };
        self.elsewhere = all.without(Kept::on(self.in_use()));
    }

    /// To which stack a transfer of control turns that neither takes an exception nor returns from one.
    pub fn turned_by_set(&self, jump: &Jump, key: ReturnKey) -> Option<Turn> {
        let is_return = jump.flow == Flow::Return;
        let goes_anywhere = is_return || jump.flow == Flow::Branch && branch_target(&jump.last).is_none();
        let own = &self.stacks[self.current].pending;
        let range = own.range();
        if !jump.is_sp_set || !goes_anywhere || range.is_near(jump.sp, 0) || own.returning_to(key).is_some() {
            return None;
        }
        let others = || self.others().filter(|(_, stack)| stack.pending.range().contains(jump.sp));
        if let Some((number, _)) = others().find(|(_, stack)| stack.pending.returning_to(key).is_some()) {
            return Some(Turn::To(number));
        }
        if jump.sp.is_none() || range.is_near(jump.sp, FAR) {
            return None;
        }
        let other = others().next().map(|(number, _)| Turn::To(number));
        let is_new = self.stacks.len() < STACKS && (is_return || range.is_far_below(jump.sp));
        other.or(is_new.then_some(Turn::New))
    }

    /// To which stack the return of a pending exception turns.
    pub fn turned_by_return(&self, place: usize, exception: &Pending, jump: &Jump) -> Option<Turn> {
        let PendingKind::Exception { interrupted, interrupted_step, .. } = exception.kind else { return None };
        let own = &self.stacks[self.current].pending;
        // What the handler set while its own stack pointer was in use is the stack pointer for certain.
        let set = jump.stack_set_since(interrupted_step.saturating_add(1));
        let (home, handler, sp) = (own.range_around(place), own.range(), set.or(jump.sp));
        let resumed =
            || self.others().filter(|(_, stack)| stack.turned_away_by.is_some_and(|by| by.resumes_at(jump.pc)));
        if let Some(sp) = set {
            if exception.resumes_at(jump.pc) && exception.was_taken_at(sp) {
                return None;
            }
            let is_it = |stack: &Stack| stack.turned_away_by.is_some_and(|by| by.was_taken_at(sp));
            if let Some((number, _)) = resumed().find(|(_, stack)| is_it(stack)) {
                return Some(Turn::To(number));
            }
        }
        let with_sp =
            resumed().find(|(_, stack)| stack.pending.range().contains(sp)).map(|(number, _)| Turn::To(number));
        if exception.resumes_at(jump.pc) && set.is_none() {
            return with_sp.filter(|_| !home.contains(sp));
        }
        let by_address = || resumed().next().filter(|_| set.is_none()).map(|(number, _)| Turn::To(number));
        let known = with_sp.filter(|_| set.is_none() || !home.contains(sp)).or_else(by_address);
        if known.is_some() {
            return known;
        }
        let is_own = home.contains(sp) || handler.contains(sp);
        let owner = self.others().find(|(_, stack)| stack.pending.range().contains(sp)).filter(|_| !is_own);
        if let Some((number, _)) = owner {
            return Some(Turn::To(number));
        }
        // After a jump through a register, any address may be right.
        let goes_on = !matches!(interrupted.control().flow, Flow::Next | Flow::Trap);
        let is_skip = set.is_none() && (goes_on || jump.pc.abs_diff(interrupted.next_pc()) <= SKIPPED);
        let is_new = !is_skip && !home.is_near(sp, NEAR) && self.stacks.len() < STACKS;
        is_new.then_some(Turn::New)
    }

    fn others(&self) -> impl Iterator<Item = (usize, &Stack)> {
        self.stacks.iter().enumerate().filter(|(number, _)| *number != self.current)
    }
}
