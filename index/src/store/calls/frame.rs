//! A frame before its place in the tree is known.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::answers::call::{Call, Evidence, FrameEntry, FrameExit};

/// Sort key: thread, stack, call step, exit, entry and function of a frame.
pub type FrameSortKey = (u16, u32, u64, Reverse<u64>, Reverse<u64>, u64);

/// A frame as found. The set of all frames determines its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallFrame {
    /// Thread number in the index.
    pub thread: u16,
    /// Stack number in the thread.
    pub stack: u32,
    /// Address of the first instruction.
    pub function: u64,
    /// The calling step; `None` for a root.
    pub call_step: Option<u64>,
    /// First step inside the frame; `None` if the trace ends with the call.
    pub entry_step: Option<u64>,
    /// Last step inside the frame; `None` while it is open.
    pub exit_step: Option<u64>,
    /// Event that entered the frame.
    pub entered: FrameEntry,
    /// Event that left the frame.
    pub left: FrameExit,
    /// Evidence for the frame.
    pub evidence: Evidence,
}

impl CallFrame {
    /// Returns the sort key in the table: by thread, stack, call step, then outermost first. Of two
    /// frames that begin and end together, the one entered later was interrupted by the other.
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

    /// Returns the frame of a table entry on a stack of its thread.
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
