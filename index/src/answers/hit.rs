//! Results of searches, and reasons to doubt them.

use stepback_parsers::{Position, Step};

use crate::answers::step_record::{Access, StepRecord};

/// Maximum number of effects in the hit of an access. A step may have a million matching accesses,
/// and each hit would hold a million effects.
pub const HIT_EFFECTS: usize = 4;

/// A step that matches a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The step. For an access query it contains only the first [`HIT_EFFECTS`] effects.
    pub record: StepRecord,
    /// First position at which the match is visible.
    pub position: Position,
    /// Access of the queried cell; `None` for queries that are not about a cell.
    pub access: Option<Access>,
    /// Reason why this may be the wrong answer.
    pub doubt: Option<Doubt>,
}

/// Reason why an answer may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// The trace does not show the instruction's encoding, or it cannot be decoded: it may use any
    /// register.
    Undecoded,
    /// The instruction is conditional, and the trace does not say whether it was executed.
    Conditional,
    /// A later system call may have written the memory, which the trace does not show.
    SystemCall {
        /// The step of the call.
        step: Step,
        /// Number of the call.
        number: u64,
    },
    /// A later signal, or the return from its handler, may have changed it: the kernel writes then.
    KernelEvent {
        /// The last step before it.
        step: Step,
    },
    /// The trace was interrupted since: execution during the gap is not recorded.
    Gap {
        /// The last step before it.
        step: Step,
    },
    /// System calls may have written the memory, and the trace does not identify them.
    SystemCallsUnsaid,
    /// The trace leaves out instructions or accesses.
    Filtered,
    /// The trace does not state the mode: it may be another register of the same name.
    Bank,
}
