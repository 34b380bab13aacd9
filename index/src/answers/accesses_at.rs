//! Accesses of a cell that become visible at the same position.

use stepback_parsers::{Line, Position};

use crate::answers::hit::Hit;

/// Accesses that become visible at the same position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessesAt {
    /// First position at which they are visible.
    pub position: Position,
    /// The accesses, at least one, nearest to the queried position first.
    pub accesses: Vec<CellAccess>,
}

/// An access by a step, or a state that the trace records before the first step of the thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellAccess {
    /// Access by a step.
    Step(Box<Hit>),
    /// Line of an initial dump: no step made the access.
    Initial(Line),
}

impl CellAccess {
    /// Returns the access of a step; none for an initial dump.
    pub fn into_hit(self) -> Option<Hit> {
        match self {
            Self::Step(hit) => Some(*hit),
            Self::Initial(_) => None,
        }
    }
}
