//! A piece of the trace that was parsed in one run.

use crate::builder::segment::sealed::SealedSegment;

/// A parsed task, or the first part of one.
#[derive(Debug, Default)]
pub struct ParsedTask {
    /// Its segments, except for those that were handed in before.
    pub segments: Vec<SealedSegment>,
    /// Number of lines.
    pub lines: u64,
    /// Text offset of its end; none when it has no text.
    pub end: Option<u64>,
    /// True if the trace ends with it at the moment.
    pub is_last: bool,
    /// False when more of it follows.
    pub is_whole: bool,
}

impl ParsedTask {
    /// Adds the next part of it.
    pub fn extend(&mut self, next: Self) {
        let mut segments = std::mem::take(&mut self.segments);
        segments.extend(next.segments);
        *self = Self { segments, ..next };
    }

    /// Returns the approximate size of its segments in memory.
    pub fn len_bytes(&self) -> usize {
        self.segments.iter().map(SealedSegment::len_bytes).sum()
    }
}
