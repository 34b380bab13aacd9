//! Outermost known frame of a stack.
//!
//! A trace may begin inside calls. A return that belongs to no recorded call then ends the
//! outermost known frame, and its caller becomes the outermost known frame. The function of that
//! one is known by the return address only.

use serde::{Deserialize, Serialize};

use crate::answers::call::{Evidence, FrameEntry, FrameExit};
use crate::builder::calls::pending::StackId;
use crate::store::calls::frame::CallFrame;

/// A step and its address.
#[derive(Clone, Copy, Debug)]
pub struct RootEntry {
    /// Step number.
    pub step: u64,
    /// Address of the step.
    pub pc: u64,
}

/// Outermost known frame of a stack.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RootFrame {
    entered: FrameEntry,
    evidence: Evidence,
    /// Last step before it; none where the thread begins.
    before: Option<u64>,
    entry_step: u64,
    function: u64,
    /// True if frames inside it were dropped, so that a return may be theirs.
    has_lost_frames: bool,
}

impl RootFrame {
    /// Creates the first frame of a thread.
    pub fn start(entry: RootEntry) -> Self {
        Self::new(FrameEntry::Root, Evidence::Start, None, entry)
    }

    /// Creates the first frame after a stretch that the trace does not show; `before` is the last
    /// step before the stretch.
    pub fn after_gap(before: u64, entry: RootEntry) -> Self {
        Self::new(FrameEntry::Gap, Evidence::Start, Some(before), entry)
    }

    /// Creates the first frame of a stack that a step switched to.
    pub fn switched(before: u64, entry: RootEntry) -> Self {
        Self::new(FrameEntry::Switch, Evidence::Stack, Some(before), entry)
    }

    /// Creates the frame to which the outermost known one returned: its caller, or the code that an
    /// exception interrupted.
    pub fn caller(exit_step: u64, entry: RootEntry) -> Self {
        Self::new(FrameEntry::Root, Evidence::Caller, Some(exit_step), entry)
    }

    fn new(entered: FrameEntry, evidence: Evidence, before: Option<u64>, entry: RootEntry) -> Self {
        Self {
            entered,
            evidence,
            before,
            entry_step: entry.step,
            function: entry.pc,
            has_lost_frames: false,
        }
    }

    /// Returns true if an unmatched return may be from this frame.
    pub fn may_return(&self) -> bool {
        !self.has_lost_frames
    }

    /// Records that frames inside it were dropped.
    pub fn lose_frames(&mut self) {
        self.has_lost_frames = true;
    }

    /// Returns the frame of the table.
    pub fn frame(&self, on: StackId, exit_step: Option<u64>, left: FrameExit) -> CallFrame {
        CallFrame {
            thread: on.thread,
            stack: on.stack,
            function: self.function,
            call_step: self.before,
            entry_step: Some(self.entry_step),
            exit_step,
            entered: self.entered,
            left,
            evidence: self.evidence,
        }
    }
}
