//! Partition of the table of calls by stack, and the use of the stacks over time.

use serde::{Deserialize, Serialize};

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
