//! The outermost known frame of a stack.
//!
//! A trace may begin inside calls. A return that belongs to no recorded call then ends the outermost known frame,
//! and its caller is the outermost known frame from there on. The function of that one is known by the return address alone.

use serde::{Deserialize, Serialize};

use crate::answers::call::{Evidence, FrameEntry, FrameExit};
use crate::builder::calls::pending::StackId;
use crate::store::calls::frame::CallFrame;

/// A step and its address.
#[derive(Clone, Copy, Debug)]
pub struct RootEntry {
    /// The step.
    pub step: u64,
    /// Its address.
    pub pc: u64,
}

/// The outermost known frame of a stack.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RootFrame {
    entered: FrameEntry,
    evidence: Evidence,
    /// The last step before it; none where the thread begins.
    before: Option<u64>,
    entry_step: u64,
    function: u64,
    /// Frames inside it are not known any more, so a return may be theirs.
    has_lost_frames: bool,
}

impl RootFrame {
    /// The first frame of a thread.
    pub fn start(entry: RootEntry) -> Self {
        Self::new(FrameEntry::Root, Evidence::Start, None, entry)
    }

    /// The first frame after a stretch that the trace does not show; `before` is the last step before the stretch.
    pub fn after_gap(before: u64, entry: RootEntry) -> Self {
        Self::new(FrameEntry::Gap, Evidence::Start, Some(before), entry)
    }

    /// The first frame of a stack that a step switched to.
    pub fn switched(before: u64, entry: RootEntry) -> Self {
        Self::new(FrameEntry::Switch, Evidence::Stack, Some(before), entry)
    }

    /// The frame that a return from the outermost known one went to: its caller, or what an exception interrupted.
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

    /// Whether a return that no call explains may be its own.
    pub fn may_return(&self) -> bool {
        !self.has_lost_frames
    }

    /// Notes that frames inside it are not known any more.
    pub fn lose_frames(&mut self) {
        self.has_lost_frames = true;
    }

    /// The frame of the table.
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
