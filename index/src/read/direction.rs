//! Which way a walk goes.

/// Which way a walk goes through the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Onward,
    Back,
}

impl Direction {
    /// Greater for a slot that comes earlier this way. It is its own inverse.
    pub fn rank(self, slot: u64) -> u64 {
        match self {
            Self::Onward => !slot,
            Self::Back => slot,
        }
    }
}
