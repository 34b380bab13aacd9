//! A call: how it was found, entered and left.

use serde::{Deserialize, Serialize};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::thread::ThreadId;

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Whose.
    pub thread: ThreadId,
    /// Address of its first instruction; where the call went when the trace shows none.
    pub function: Address,
    /// The step that called; none for a root.
    pub call_step: Option<Step>,
    /// The first step inside; none when the trace shows none.
    pub entry_step: Option<Step>,
    /// The last step inside (the return itself); none when open.
    pub exit_step: Option<Step>,
    /// How it was entered.
    pub entered: FrameEntry,
    /// How it was left.
    pub left: FrameExit,
    /// How it was found.
    pub evidence: Evidence,
    /// 0 for a root.
    pub depth: u32,
    /// The frame that called.
    pub parent: Option<CallId>,
}

impl Call {
    /// False for the first frame of a stack, which nothing on that stack called.
    pub fn is_called(&self) -> bool {
        !matches!(
            self.entered,
            FrameEntry::Root | FrameEntry::Switch | FrameEntry::Gap
        )
    }

    /// Where it was entered. One whose steps the trace does not show was entered right after it was made.
    pub fn entered_at(&self) -> Position {
        let behind_call = || self.call_step.map_or(Position(0), Step::after);
        self.entry_step.map_or_else(behind_call, Step::before)
    }
}

/// A call by its place in the table, which is sorted by thread and entry (parents before children).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallId(pub u64);

/// How a frame was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrameEntry {
    /// The thread's first frame.
    Root,
    /// By a call.
    Call,
    /// By a jump from the end of another function, which thereby left the stack (a tail call).
    Tail,
    /// By an exception or interrupt.
    Exception,
    /// By a move of the stack pointer to a stack that was not in use before (a new task).
    Switch,
    /// Not shown: the trace goes on here after a stretch that it does not show.
    Gap,
}

impl FrameEntry {
    pub(crate) const ALL: [Self; 6] = [
        Self::Root,
        Self::Call,
        Self::Tail,
        Self::Exception,
        Self::Switch,
        Self::Gap,
    ];
}

/// How a frame was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Evidence {
    /// It is where the thread begins.
    Start,
    /// The calling step wrote the address behind itself into the link register.
    Link,
    /// Control came back to its return address with the stack pointer that it had.
    Return,
    /// The calling step is a branch to the start of another function.
    Branch,
    /// The trace says so in words.
    Words,
    /// Control went on elsewhere after an instruction that does not branch.
    Jump,
    /// The stack pointer was moved to another stack.
    Stack,
    /// The trace's records say so.
    Record,
    /// A return that belongs to no recorded call went there. Its function is known by that address alone.
    Caller,
}

impl Evidence {
    pub(crate) const ALL: [Self; 9] = [
        Self::Start,
        Self::Link,
        Self::Return,
        Self::Branch,
        Self::Words,
        Self::Jump,
        Self::Stack,
        Self::Record,
        Self::Caller,
    ];
}

/// How a frame was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrameExit {
    /// It returned.
    Return,
    /// A later return of one of its callers skipped it.
    Skipped,
    /// A jump out of several frames at once (longjmp) left it.
    Longjmp,
    /// The trace ends inside it.
    Open,
    /// Its last step jumped to another function that returns in its place (a tail call).
    Tail,
    /// Not shown: the trace has a stretch that it does not show, and whether the frame outlived that is not known.
    Gap,
}

impl FrameExit {
    pub(crate) const ALL: [Self; 6] = [
        Self::Return,
        Self::Skipped,
        Self::Longjmp,
        Self::Open,
        Self::Tail,
        Self::Gap,
    ];
}
