//! A frame as it is found, before its place in the tree is known.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::answers::call::{Call, Evidence, FrameEntry, FrameExit};

/// Thread, stack, call step, exit, entry and function of a frame.
pub type FrameSortKey = (u16, u32, u64, Reverse<u64>, Reverse<u64>, u64);

/// A frame as found; its place in the tree follows from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallFrame {
    /// Whose: the index's number.
    pub thread: u16,
    /// On which of its stacks.
    pub stack: u32,
    /// Address of the first instruction.
    pub function: u64,
    /// The step that called; none for a root.
    pub call_step: Option<u64>,
    /// The first step inside; none when the trace ends with the call.
    pub entry_step: Option<u64>,
    /// The last step inside; none when open.
    pub exit_step: Option<u64>,
    /// How it was entered.
    pub entered: FrameEntry,
    /// How it was left.
    pub left: FrameExit,
    /// How it was found.
    pub evidence: Evidence,
}

impl CallFrame {
    /// Its place in the table: by thread, stack, call step, then outermost first.
    /// Of two frames that begin and end together, the one that is entered later was interrupted by the other.
    pub fn place(&self) -> FrameSortKey {
        let [exit, entry] =
            [self.exit_step, self.entry_step].map(|step| Reverse(step.unwrap_or(u64::MAX)));
        (
            self.thread,
            self.stack,
            self.call_step.map_or(0, |step| step + 1),
            exit,
            entry,
            self.function,
        )
    }

    /// A frame of a table, which is on one of its thread's stacks.
    pub fn of(call: &Call, stack: u32) -> Self {
        Self {
            thread: call.thread.0,
            stack,
            function: call.function.0,
            call_step: call.call_step.map(|step| step.0),
            entry_step: call.entry_step.map(|step| step.0),
            exit_step: call.exit_step.map(|step| step.0),
            entered: call.entered,
            left: call.left,
            evidence: call.evidence,
        }
    }
}
