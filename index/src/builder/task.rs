//! A piece of the trace that was parsed in one run.

use crate::builder::segment::sealed::SealedSegment;

/// A task that was parsed, or the first part of one.
#[derive(Debug, Default)]
pub struct ParsedTask {
    /// Its segments, but for those that were handed in before.
    pub segments: Vec<SealedSegment>,
    /// How many lines it has.
    pub lines: u64,
    /// Where its text ends; none when it has no text.
    pub end: Option<u64>,
    /// The trace ends with it, for now.
    pub is_last: bool,
    /// False when more of it follows.
    pub is_whole: bool,
}

impl ParsedTask {
    /// Takes the next part of it.
    pub fn extend(&mut self, next: Self) {
        let mut segments = std::mem::take(&mut self.segments);
        segments.extend(next.segments);
        *self = Self { segments, ..next };
    }

    /// What its segments take in memory, nearly.
    pub fn len_bytes(&self) -> usize {
        self.segments.iter().map(SealedSegment::len_bytes).sum()
    }
}
