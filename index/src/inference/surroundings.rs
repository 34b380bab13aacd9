//! The steps around a position that inference follows.

use std::ops::Range;

use crate::index::Index;

/// Numbers of steps to follow around a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRadius {
    /// Steps before it.
    pub before: u64,
    /// Steps after it.
    pub behind: u64,
}

impl StepRadius {
    /// Returns the range of slots to follow around some slots.
    pub fn of(self, index: &Index, slots: Range<u64>) -> Range<u64> {
        let first = slots.start.saturating_sub(self.before).max(1);
        let end = slots
            .end
            .saturating_add(self.behind)
            .min(index.step_count())
            + 1;
        first..end.max(first)
    }
}
