//! Calls: the frames of a trace, with the evidence for each.

use serde::{Deserialize, Serialize};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::cell::ThreadId;

/// A stack frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Thread of the frame.
    pub thread: ThreadId,
    /// Address of the first instruction. If the trace shows no step of the function, the target of
    /// the call.
    pub function: Address,
    /// The calling step; `None` for a root.
    pub call_step: Option<Step>,
    /// First step inside the frame; `None` if the trace shows none.
    pub entry_step: Option<Step>,
    /// Last step inside the frame, which is the return itself; `None` while the frame is open.
    pub exit_step: Option<Step>,
    /// Event that entered the frame.
    pub entered: FrameEntry,
    /// Event that left the frame.
    pub left: FrameExit,
    /// Evidence for the frame.
    pub evidence: Evidence,
    /// Number of callers on the stack; 0 for a root.
    pub depth: u32,
    /// Calling frame.
    pub parent: Option<CallId>,
}

impl Call {
    /// Returns false for the first frame of a stack, which has no caller on that stack.
    pub fn is_called(&self) -> bool {
        !matches!(
            self.entered,
            FrameEntry::Root | FrameEntry::Switch | FrameEntry::Gap
        )
    }

    /// Returns the position at which the frame was entered. A frame without recorded steps was
    /// entered right after its call.
    pub fn entered_at(&self) -> Position {
        let after_call = || self.call_step.map_or(Position(0), Step::after);
        self.entry_step.map_or_else(after_call, Step::before)
    }
}

/// Index of a call in the table, which is sorted by thread and entry (parents before children).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallId(pub u64);

/// Event that entered a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrameEntry {
    /// The thread's first frame.
    Root,
    /// A call.
    Call,
    /// A jump from the end of another function, which left the stack by it (tail call).
    Tail,
    /// An exception or interrupt.
    Exception,
    /// A move of the stack pointer to a stack that was not in use before (new task).
    Switch,
    /// Unknown: the trace continues here after a gap.
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

    /// Returns the word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Call => "call",
            Self::Tail => "tail",
            Self::Exception => "exception",
            Self::Switch => "switch",
            Self::Gap => "gap",
        }
    }
}

/// Evidence for a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Evidence {
    /// The thread begins here.
    Start,
    /// The calling step wrote the address after itself into the link register.
    Link,
    /// Control returned to the return address with the stack pointer of the call.
    Return,
    /// The calling step is a branch to the start of another function.
    Branch,
    /// A text line of the trace states it.
    Words,
    /// Control continued elsewhere after an instruction that is not a branch.
    Jump,
    /// The stack pointer moved to another stack.
    Stack,
    /// A record of the trace states it.
    Record,
    /// A return without a recorded call went there. Only that address identifies the function.
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

    /// Returns the word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Link => "link",
            Self::Return => "return",
            Self::Branch => "branch",
            Self::Words => "words",
            Self::Jump => "jump",
            Self::Stack => "stack",
            Self::Record => "record",
            Self::Caller => "caller",
        }
    }
}

/// Event that left a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrameExit {
    /// A return.
    Return,
    /// A later return of one of its callers, which skipped the frame.
    Skipped,
    /// A jump out of several frames at once (longjmp).
    Longjmp,
    /// None: the trace ends inside the frame.
    Open,
    /// A jump of its last step to another function, which returns in its place (tail call).
    Tail,
    /// Unknown: a gap in the trace, which the frame may or may not have outlived.
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

    /// Returns the word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::Longjmp => "longjmp",
            Self::Skipped => "skipped",
            Self::Open => "open",
            Self::Tail => "tail",
            Self::Gap => "gap",
        }
    }
}
