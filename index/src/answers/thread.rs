//! The threads of a trace.

use serde::{Deserialize, Serialize};
use stepback_machine::InstructionSet;
use stepback_parsers::Step;

/// A thread of the trace: its place in [`crate::index::Index::threads`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ThreadId(pub u16);

/// A thread of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadInfo {
    /// As the trace names it, `cpu0` where it names none.
    pub name: String,
    /// How many steps it did.
    pub steps: u64,
    /// Instruction set of its first step.
    pub instruction_set: InstructionSet,
    /// Its first step.
    pub first_step: Option<Step>,
}
