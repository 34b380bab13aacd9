//! What a recording tells.

/// Where control went at a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where it went.
    pub outcome: Outcome,
    /// The address of the instruction that comes between a fork with a delay slot and where it leads, if the recording tells it.
    pub slot: Option<u64>,
}

/// Where control went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// On behind the fork.
    NotTaken,
    /// To where the fork's encoding says.
    Taken,
    /// To this address, which nothing but the recording tells.
    To(u64),
}
