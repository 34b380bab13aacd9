//! Steps of a thread in a segment, and those of them at an address.

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::read::slots::{first_step_of, last_step_of};
use crate::store::pcs::SegmentVisits;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};

/// Filter for the steps of a segment.
pub(crate) struct SegmentStepFilter<'a> {
    /// A missing segment has no steps.
    pub segment: Option<SegmentReader<'a>>,
    /// Thread of the steps; all threads without one.
    pub thread: Option<ThreadId>,
}

impl SegmentStepFilter<'_> {
    /// Returns the place of the first matching visit, from a slot of the segment on. Cost: a lookup
    /// for each turn of the thread without a visit, or each visit of others.
    pub fn first_visit(
        &self,
        visits: &SegmentVisits<'_>,
        from: u32,
    ) -> Result<Option<usize>, QueryError> {
        let malformed = |_| damaged(Section::Pcs);
        let mut place = visits.count_below(from).map_err(malformed)?;
        while place < visits.len() {
            let slot = visits.get(place).map_err(malformed)?;
            match self.first_from(slot)? {
                Some(own) if own == slot => return Ok(Some(place)),
                Some(own) => place = visits.count_below(own).map_err(malformed)?,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the place of the last matching visit, before a slot of the segment.
    pub fn last_visit(
        &self,
        visits: &SegmentVisits<'_>,
        below: u32,
    ) -> Result<Option<usize>, QueryError> {
        let malformed = |_| damaged(Section::Pcs);
        let mut count = visits.count_below(below).map_err(malformed)?;
        while let Some(place) = count.checked_sub(1) {
            let slot = visits.get(place).map_err(malformed)?;
            match self.last_until(slot)? {
                Some(own) if own == slot => return Ok(Some(place)),
                Some(own) => {
                    count = visits
                        .count_below(own.saturating_add(1))
                        .map_err(malformed)?
                }
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn first_from(&self, slot: u32) -> Result<Option<u32>, QueryError> {
        let Some((segment, thread)) = self.segment.as_ref().zip(self.thread) else {
            return Ok(Some(slot));
        };
        first_step_of(segment, thread, slot)
    }

    fn last_until(&self, slot: u32) -> Result<Option<u32>, QueryError> {
        let Some((segment, thread)) = self.segment.as_ref().zip(self.thread) else {
            return Ok(Some(slot));
        };
        last_step_of(segment, thread, slot)
    }
}
