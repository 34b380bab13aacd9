//! Unreadable parts of the trace.

use std::ops::RangeInclusive;

use crate::index::Index;

/// Finds unreadable parts.
pub(crate) struct ProblemReader<'a>(pub &'a Index);

impl ProblemReader<'_> {
    /// Returns true if records of some slots, or of adjacent ones, may be missing. Cost: a lookup
    /// for each segment of the slots.
    pub(crate) fn may_miss_records(&self, slots: &RangeInclusive<u64>) -> bool {
        let (start, end) = (
            slots.start().saturating_sub(1),
            slots.end().saturating_add(1),
        );
        let segments = &self.0.contents.segments;
        let first = segments
            .partition_point(|segment| segment.step_base < start)
            .saturating_sub(1);
        let reached = segments
            .iter()
            .skip(first)
            .take_while(|segment| segment.step_base <= end);
        reached.into_iter().any(|segment| {
            let at = |slot: u32| segment.step_base.saturating_add(u64::from(slot));
            let place = segment
                .damaged
                .partition_point(|known| at(known.last) < start);
            segment
                .damaged
                .get(place)
                .is_some_and(|known| at(known.first) <= end)
        })
    }
}
