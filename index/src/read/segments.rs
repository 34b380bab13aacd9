//! Nearest slot in the lists of several segments, in either direction.

use crate::answers::cell::Direction;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::store::segment::reader::SegmentReader;

/// Returns the nearest slot from `bound` on among some ascending segments. `find` searches a segment
/// from one of its slots on. Cost: a binary search, and the segments up to the first with a result.
pub(crate) fn nearest_slot<'a>(
    index: &'a Index,
    segments: &[u32],
    bound: u64,
    direction: Direction,
    find: impl Fn(&SegmentReader<'a>, u32) -> Result<Option<u32>, QueryError>,
) -> Result<Option<u64>, QueryError> {
    let base = |number: u32| {
        let known = index.contents.segments.get(number as usize);
        known.map_or(u64::MAX, |segment| segment.step_base)
    };
    let find_in = |number: &u32| {
        let Some(segment) = index.segment(*number as usize) else {
            return Ok(None);
        };
        let found = find(&segment, segment.local_slot(bound))?;
        Ok(found.map(|slot| segment.trace_slot(slot)))
    };
    match direction {
        Direction::Back => {
            let end = segments.partition_point(|number| base(*number) <= bound);
            let mut before = segments.iter().take(end).rev();
            before.find_map(|number| find_in(number).transpose())
        }
        Direction::Forward => {
            let start = segments
                .partition_point(|number| base(*number) < bound)
                .saturating_sub(1);
            let mut after = segments.iter().skip(start);
            after.find_map(|number| find_in(number).transpose())
        }
    }
    .transpose()
}
