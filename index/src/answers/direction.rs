//! Direction in time.

use serde::{Deserialize, Serialize};

/// Direction in time, through the steps of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// Towards the start.
    Back,
    /// Towards the end.
    Forward,
}

impl Direction {
    /// Returns the sort key of a slot: greater for a slot that comes earlier in this direction. The
    /// function is its own inverse.
    pub(crate) fn rank(self, slot: u64) -> u64 {
        match self {
            Self::Forward => !slot,
            Self::Back => slot,
        }
    }

    /// Returns the one of two slots that comes earlier in this direction.
    pub(crate) fn nearer(self, one: Option<u64>, other: Option<u64>) -> Option<u64> {
        match self {
            Self::Back => one.max(other),
            Self::Forward => one.into_iter().chain(other).min(),
        }
    }

    /// Returns the first slot of a search from a position; `None` at the end of the number range.
    pub(crate) fn first_slot(self, at: u64) -> Option<u64> {
        match self {
            Self::Back => Some(at),
            Self::Forward => at.checked_add(1),
        }
    }

    /// Returns the next slot in this direction; `None` past the ends.
    pub(crate) fn beyond(self, slot: u64) -> Option<u64> {
        match self {
            Self::Back => slot.checked_sub(1),
            Self::Forward => slot.checked_add(1),
        }
    }
}
