//! Markers: records of binary formats that are neither steps nor accesses.

use stepback_parsers::{Marker, MarkerKind, Position, Step};

use crate::answers::thread::ThreadId;

/// A marker of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerHit {
    /// First position at which it is visible.
    pub position: Position,
    /// Last step of its thread before it; `None` before the first step of the thread.
    pub step: Option<Step>,
    /// Thread of the marker.
    pub thread: ThreadId,
    /// The record.
    pub marker: Marker,
}

/// Number of markers of one kind in one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerCount {
    /// Thread of the markers.
    pub thread: ThreadId,
    /// Their kind.
    pub kind: MarkerKind,
    /// Number of markers.
    pub count: u64,
}
