//! A piece of the trace that was parsed in one run.

use crate::builder::segment::sealed::SealedSegment;

/// A task that was parsed.
#[derive(Debug, Default)]
pub struct Task {
    /// Its segments.
    pub segments: Vec<SealedSegment>,
    /// How many lines it has.
    pub lines: u64,
    /// Where its text ends; none when it has no text.
    pub end: Option<u64>,
    /// The trace ends with it, for now.
    pub is_last: bool,
}
