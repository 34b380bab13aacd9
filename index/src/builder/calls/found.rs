//! Frames and stack switches found in the segments taken.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::builder::calls::spool::FrameSpool;
use crate::store::calls::frame::CallFrame;
use crate::store::calls::layout::StackSwitch;

/// Frames and stack switches found in the segments taken.
#[derive(Clone, Debug, Default)]
pub struct CollectedCalls {
    /// Frames in the order found.
    pub frames: FrameSpool,
    /// Switches of threads to other stacks.
    pub switches: Vec<StackSwitch>,
    /// Number of switches when the mark was set.
    marked: usize,
}

impl CollectedCalls {
    /// Creates the collection from what an earlier build found.
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

    /// Returns what was found after the mark.
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

/// Frames and stack switches found in a part of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFrames {
    /// Frames, in the order of their ends.
    pub frames: Vec<CallFrame>,
    /// Switches of threads to other stacks.
    pub switches: Vec<StackSwitch>,
}
