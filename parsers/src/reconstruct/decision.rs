//! Recorded decisions.

/// Direction of control at a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Direction that control took.
    pub outcome: Outcome,
    /// Address of the instruction between a fork with a delay slot and its target, if recorded.
    pub slot: Option<u64>,
}

/// Direction of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Control continued after the fork.
    NotTaken,
    /// Control went to the target that the fork's encoding names.
    Taken,
    /// Control went to this address, which only the recording states.
    To(u64),
}
