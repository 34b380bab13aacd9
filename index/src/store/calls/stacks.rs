//! Stacks of threads: the frames of each stack, which are a contiguous part of the table of calls,
//! and the positions at which its thread used it ([`StackUse`]). The directory stores only the ends
//! of the parts and the switches between stacks ([`CallLayout`]).

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use crate::answers::call::CallId;
use crate::answers::cell::ThreadId;
use crate::store::calls::table::CallTable;

/// A stack of a thread. Its frames nest; frames of different stacks of a thread do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackUse {
    /// Thread of the stack.
    pub thread: ThreadId,
    /// Indices of its frames in the table.
    pub frames: Range<u64>,
    /// Position ranges in which the thread used it, in order: step n belongs to position n.
    pub used: Vec<Range<Position>>,
}

/// Frames that are on a stack at any time within a part of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FramesWithin {
    /// Frames on the stack at the start of the part, outermost first.
    pub around: Vec<CallId>,
    /// Indices of the frames that are called within the part.
    pub called: Range<u64>,
}

impl CallTable {
    /// Returns all stacks, by thread. O(stacks + switches).
    pub fn stacks(&self) -> Vec<StackUse> {
        let mut used: HashMap<(u16, u32), Vec<Range<Position>>> = HashMap::new();
        let mut switches = self.layout().switches.iter().peekable();
        let mut threads: Vec<u16> = self.layout().parts.iter().map(|part| part.thread).collect();
        threads.dedup();
        for thread in threads {
            let (mut stack, mut from) = (0, Position(0));
            while let Some(switch) = switches.next_if(|switch| switch.thread <= thread) {
                if switch.thread == thread {
                    let until = Position(switch.after.saturating_add(1));
                    used.entry((thread, stack)).or_default().push(from..until);
                    (stack, from) = (switch.stack, until);
                }
            }
            used.entry((thread, stack))
                .or_default()
                .push(from..Position(u64::MAX));
        }
        let parts = self.layout().parts.iter().enumerate();
        let stack = |(place, part): (usize, &StackPart)| StackUse {
            thread: ThreadId(part.thread),
            frames: self.range_of(place),
            used: used.remove(&(part.thread, part.stack)).unwrap_or_default(),
        };
        parts.map(stack).collect()
    }

    /// Returns the frames of a stack in a part of the trace. O(log n + depth).
    pub fn frames_within(&self, stack: &StackUse, part: &Range<Position>) -> FramesWithin {
        let called_from = |from: Position| {
            self.first(stack.frames.clone(), |call| {
                call.call_step.is_some_and(|step| step.0 >= from.0)
            })
        };
        let mut called = called_from(part.start)..called_from(part.end);
        // A frame begins in the part if the delay slot of its call is in it.
        let begins_later = |id: u64| {
            self.begin_of(CallId(id))
                .is_some_and(|begin| begin > part.start)
        };
        while called.start > stack.frames.start && begins_later(called.start - 1) {
            called.start -= 1;
        }
        let last = called
            .start
            .checked_sub(1)
            .filter(|last| *last >= stack.frames.start);
        let innermost = last.and_then(|last| self.around_position(CallId(last), part.start));
        let around = innermost.map(|innermost| self.part_of_path(innermost, 0..u32::MAX));
        FramesWithin {
            around: around.unwrap_or_default(),
            called,
        }
    }
}

/// End of each stack's frames in the table, and the switches between stacks of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLayout {
    /// Sorted by thread and stack.
    pub parts: Vec<StackPart>,
    /// Sorted by thread and step. A thread starts on its stack 0.
    pub switches: Vec<StackSwitch>,
}

/// The frames of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackPart {
    /// Thread of the stack.
    pub thread: u16,
    /// Stack number in the thread.
    pub stack: u32,
    /// End of its frames in the table.
    pub end: u64,
}

/// A switch of a thread to another of its stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StackSwitch {
    /// The thread.
    pub thread: u16,
    /// Last step before the switch.
    pub after: u64,
    /// Number of the new stack.
    pub stack: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::calls::samples::nested;

    #[track_caller]
    fn check(part: Range<u64>, around: &[u64], called: Range<u64>) {
        let table = nested();
        let stacks = table.stacks();
        assert_eq!(stacks.len(), 1);
        assert_eq!(stacks[0].used, [Position(0)..Position(u64::MAX)]);
        let within = table.frames_within(&stacks[0], &(Position(part.start)..Position(part.end)));
        let around_places: Vec<u64> = within.around.iter().map(|id| id.0).collect();
        assert_eq!(
            (around_places.as_slice(), within.called),
            (around, called),
            "{part:?}"
        );
    }

    #[test]
    fn a_part_has_the_frames_around_its_start_and_those_that_are_called_in_it() {
        check(0..20, &[0], 1..6);
        check(5..9, &[0, 1, 2], 3..4);
        check(6..8, &[0, 1, 2], 3..3);
        check(13..14, &[0], 4..4);
        check(16..20, &[0, 4], 5..6);
    }
}
