//! Where a part of the trace could not be read.

use std::ops::RangeInclusive;

use stepback_parsers::Source;

use crate::index::Index;

/// Finds what could not be read.
pub(crate) struct ProblemReader<'a, S>(pub &'a Index<S>);

impl<S: Source> ProblemReader<'_, S> {
    /// True when records of some slots, or of the ones beside them, may be missing: each segment tells its first and last problem.
    pub(crate) fn may_miss_records(&self, slots: &RangeInclusive<u64>) -> bool {
        let segments = &self.0.contents.segments;
        let end = segments.partition_point(|segment| segment.step_base <= slots.end().saturating_add(1));
        segments.iter().take(end).rev().any(|segment| {
            segment.problem_slots.is_some_and(|(first, last)| {
                let at = |slot: u32| segment.step_base.saturating_add(u64::from(slot));
                at(first) <= slots.end().saturating_add(1) && at(last).saturating_add(1) >= *slots.start()
            })
        })
    }
}
