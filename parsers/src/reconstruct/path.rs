//! What a walk hands on.

use crate::events::{DelaySlot, StepOrigin};
use crate::gap::Gap;
use crate::reconstruct::decision::Outcome;

/// Takes the path of a thread, in its order.
pub trait PathSink {
    /// Instructions one behind the other, none of which is a fork or stands in a delay slot.
    fn stretch(&mut self, stretch: PassedStretch);

    /// An instruction by itself.
    fn step(&mut self, step: PassedStep);

    /// Something is missing here.
    fn gap(&mut self, gap: Gap);
}

/// Instructions that were passed one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedStretch {
    /// The address of the first.
    pub first: u64,
    /// How many.
    pub instructions: u64,
    /// What they are known from.
    pub origin: StepOrigin,
}

/// An instruction that was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedStep {
    /// Its address.
    pub pc: u64,
    /// Where control went, at a fork; none in the slot of one that annulled it, and of what is no fork.
    pub outcome: Option<Outcome>,
    /// Whether it stands in a delay slot.
    pub slot: DelaySlot,
    /// What it is known from.
    pub origin: StepOrigin,
}
