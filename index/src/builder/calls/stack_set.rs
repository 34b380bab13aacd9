//! The stacks of a thread, of which one is in use at a time.

use serde::{Deserialize, Serialize};

/// Maximum number of stacks of a thread. Control that turns to another one stays on the stack in use.
const STACKS: usize = 256;

/// A stack of a thread.
pub trait ThreadStack: Default {
    /// What it keeps for later.
    fn kept(&self) -> RetainedCounts;
}

/// Where control goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStack {
    /// To a stack that was used before.
    To(usize),
    /// To one that was not.
    New,
}

/// What a thread keeps for later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetainedCounts {
    /// Frames that are not over yet.
    pub frames: usize,
    /// Places that calls returned to.
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

/// The stacks of a thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    from = "SerializedStacks<S>",
    bound(deserialize = "S: ThreadStack + Deserialize<'de>")
)]
pub struct StackSet<S> {
    stacks: Vec<S>,
    current: usize,
    /// On all stacks but the one in use.
    #[serde(skip)]
    elsewhere: RetainedCounts,
}

/// As a file has them.
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
    /// Whether it can be resumed: a file may hold anything.
    pub fn is_consistent(&self) -> bool {
        self.current < self.stacks.len() && self.stacks.len() <= STACKS
    }

    /// The number of the stack in use.
    pub fn current(&self) -> u32 {
        self.current as u32
    }

    /// The stack in use.
    pub fn in_use(&self) -> &S {
        &self.stacks[self.current]
    }

    /// The stack in use, to change it.
    pub fn in_use_mut(&mut self) -> &mut S {
        &mut self.stacks[self.current]
    }

    /// All stacks with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &S)> {
        (0..).zip(&self.stacks)
    }

    /// The stacks that are not in use, with their numbers.
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

    /// What is kept on all of them. O(1).
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

    /// Whether there may be another stack.
    pub fn has_room(&self) -> bool {
        self.stacks.len() < STACKS
    }

    /// Takes another stack into use.
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
