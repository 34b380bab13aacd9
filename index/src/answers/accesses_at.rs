//! The accesses of a cell that show first at the same position.

use stepback_parsers::{Line, Position};

use crate::answers::hit::Hit;

/// Accesses that show first at the same position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessesAt {
    /// First position at which they show.
    pub position: Position,
    /// The accesses, at least one: the nearest to the queried position first.
    pub accesses: Vec<CellAccess>,
}

/// An access, or what the trace states before the first step of its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellAccess {
    /// A step did it.
    Step(Box<Hit>),
    /// No step did it: the line of an initial dump.
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
