//! Where the frames of each stack lie in the table of calls, and when each stack is in use.

use serde::{Deserialize, Serialize};

/// Where the frames of each stack of each thread end in the table, and which stack a thread used when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLayout {
    /// By thread and stack.
    pub parts: Vec<StackPart>,
    /// By thread and step. Before a thread's first one it used its stack 0.
    pub switches: Vec<StackSwitch>,
}

/// The frames of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackPart {
    /// Whose.
    pub thread: u16,
    /// Which of that thread's.
    pub stack: u32,
    /// Where they end in the table.
    pub end: u64,
}

/// A thread turns to another of its stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StackSwitch {
    /// Whose.
    pub thread: u16,
    /// The last step before.
    pub after: u64,
    /// To which of that thread's.
    pub stack: u32,
}
