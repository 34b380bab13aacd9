//! The records of binary formats that are neither steps nor accesses.

use stepback_parsers::{Marker, MarkerKind, Position, Step};

use crate::answers::thread::ThreadId;

/// A marker of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerHit {
    /// The first position at which it shows.
    pub position: Position,
    /// The last step of its thread before it; none before the thread's first.
    pub step: Option<Step>,
    /// Whose it is.
    pub thread: ThreadId,
    /// What it tells.
    pub marker: Marker,
}

/// How many markers of a kind a thread has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerCount {
    /// Whose.
    pub thread: ThreadId,
    /// Their kind.
    pub kind: MarkerKind,
    /// How many.
    pub count: u64,
}
