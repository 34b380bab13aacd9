//! The steps around a place that inference looks at.

use std::ops::Range;

use crate::index::Index;

/// How many steps around a place are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRadius {
    /// Before it.
    pub before: u64,
    /// Behind it.
    pub behind: u64,
}

impl StepRadius {
    /// These of some slots, with the slots themselves.
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
