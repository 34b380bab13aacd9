//! Stacks of a thread, one of which is in use at a time.

use serde::{Deserialize, Serialize};

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
