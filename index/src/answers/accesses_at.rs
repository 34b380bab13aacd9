//! The accesses of a cell that show first at the same position.

use stepback_parsers::{Line, Position};

use crate::answers::hit::Hit;

/// Accesses that show first at the same position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessesAt {
    /// Where they show first.
    pub position: Position,
    /// The latest first; at least one.
    pub accesses: Vec<Accessed>,
}

/// An access, or what the trace states before the first step of its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accessed {
    /// A step did it.
    Step(Box<Hit>),
    /// No step did it; its line.
    Initial(Line),
}
