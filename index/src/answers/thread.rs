//! Threads of a trace.

use serde::{Deserialize, Serialize};
use stepback_machine::InstructionSet;
use stepback_parsers::Step;

/// Index of a thread in [`crate::index::Index::threads`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ThreadId(pub u16);

/// A thread of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadInfo {
    /// Name in the trace; `cpu0` if the trace has no thread names.
    pub name: String,
    /// Number of its steps.
    pub steps: u64,
    /// Instruction set of its first step.
    pub instruction_set: InstructionSet,
    /// Its first step.
    pub first_step: Option<Step>,
}
