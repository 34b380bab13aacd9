//! Output of a walk.

use crate::events::{DelaySlot, StepOrigin};
use crate::gap::Gap;
use crate::reconstruct::decision::Outcome;

/// Receives the path of a thread, in execution order.
pub trait PathSink {
    /// Consecutive instructions; none is a fork or in a delay slot.
    fn stretch(&mut self, stretch: PassedStretch);

    /// Single instruction.
    fn step(&mut self, step: PassedStep);

    /// Instructions are missing here.
    fn gap(&mut self, gap: Gap);
}

/// Consecutive instructions that were executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedStretch {
    /// Address of the first instruction.
    pub first: u64,
    /// Number of instructions.
    pub instructions: u64,
    /// Source of the knowledge that they were executed.
    pub origin: StepOrigin,
}

/// Instruction that was executed, or annulled in its delay slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedStep {
    /// Address of the instruction.
    pub pc: u64,
    /// Direction of control at a fork; `None` for an annulled slot and for an instruction that is
    /// no fork.
    pub outcome: Option<Outcome>,
    /// Relation to a delay slot.
    pub slot: DelaySlot,
    /// Source of the knowledge that it was executed.
    pub origin: StepOrigin,
}
