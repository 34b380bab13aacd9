//! The calls that were found so far.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::builder::calls::spool::FrameSpool;
use crate::store::calls::frame::CallFrame;
use crate::store::calls::layout::StackSwitch;

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub struct CollectedCalls {
    /// Frames.
    pub frames: FrameSpool,
    /// Where threads turn to other stacks.
    pub switches: Vec<StackSwitch>,
    /// How many of the switches were there when a mark was set.
    marked: usize,
}

impl CollectedCalls {
    /// What was found before.
    pub fn new(
        found: impl IntoIterator<Item = CallFrame>,
        switches: Vec<StackSwitch>,
        folder: &Path,
    ) -> Self {
        let mut frames = FrameSpool::default();
        frames.use_folder(folder);
        frames.extend(found);
        Self {
            frames,
            marked: switches.len(),
            switches,
        }
    }

    /// Sets the mark here.
    pub fn mark(&mut self) {
        self.frames.mark();
        self.marked = self.switches.len();
    }

    /// What was found after a mark was set.
    pub fn since_mark(&self) -> FoundFrames {
        FoundFrames {
            frames: self.frames.since_mark().to_vec(),
            switches: self
                .switches
                .get(self.marked..)
                .unwrap_or_default()
                .to_vec(),
        }
    }
}

/// What was found in a part of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFrames {
    /// Frames, in the order of their ends.
    pub frames: Vec<CallFrame>,
    /// Where threads turn to other stacks.
    pub switches: Vec<StackSwitch>,
}
