//! Where a question found its answer, and why it may not be one.

use stepback_parsers::{Position, Step};

use crate::answers::step_record::{Access, StepRecord};

/// A hit of an access shows this many of its step's effects at most:
/// a step may have a million accesses of what is asked for, and each hit would hold a million effects.
pub const HIT_EFFECTS: usize = 4;

/// Where a question found its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The step that did it. Where an access was asked for, its first [`HIT_EFFECTS`] effects alone.
    pub record: StepRecord,
    /// The first position at which it shows.
    pub position: Position,
    /// What it did to the cell; none when the question was not about a cell.
    pub access: Option<Access>,
    /// Why it may not be the answer after all.
    pub doubt: Option<Doubt>,
}

/// Why an answer may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// The trace does not show the instruction's encoding, or it cannot be decoded: it may use any register.
    Undecoded,
    /// The instruction is conditional, and the trace does not say whether it was executed.
    Conditional,
    /// A later system call may have written the memory, which the trace does not show.
    SystemCall {
        /// The step that made it.
        step: Step,
        /// Its number.
        number: u64,
    },
    /// A later signal, or the return from its handler, may have changed it: the kernel does that.
    KernelEvent {
        /// The last step before it.
        step: Step,
    },
    /// The trace was interrupted since: what ran meanwhile is not recorded.
    Gap {
        /// The last step before it.
        step: Step,
    },
    /// System calls may have written the memory, and the trace does not say which were made.
    SystemCallsUnsaid,
    /// The trace leaves out instructions or accesses.
    Filtered,
    /// The trace does not say in which mode: it may be another register of the same name.
    Bank,
}
