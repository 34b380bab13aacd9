//! Segments that touch a memory block or visit an address, through the maps of 64 segments each.

use std::ops::Range;

use crate::answers::error::QueryError;
use crate::index::{Index, bad_key_map};
use crate::store::contents::{KeyMaps, mapped};
use crate::store::granules::{Granule, TouchCoverage};
use crate::store::key_map::{SEGMENTS, SegmentKey, SegmentSet};
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;
use crate::store::visits::SegmentVisits;

/// Returns the numbers of the segments in `range` that touch a memory block (or visit an
/// address), ascending. Cost: one lookup for each 64 segments, and for each of the last ones
/// without a map.
pub(crate) fn segments_with(
    index: &Index,
    key: SegmentKey,
    range: Range<usize>,
) -> Result<Vec<usize>, QueryError> {
    let mut found = Vec::new();
    for number in 0..index.contents.key_maps.len() {
        let Some(KeyMaps { first, end, .. }) = index.contents.key_maps.get(number).copied() else {
            continue;
        };
        let (first, end) = (first as usize, end as usize);
        if first >= range.end || end <= range.start {
            continue;
        }
        let map = index.key_map(number, key)?;
        let set = match key {
            SegmentKey::Granule(granule) => map
                .find::<SegmentSet<TouchCoverage>>(granule)
                .map(|set| set.map(|set| set.segments)),
            SegmentKey::Pc(pc) => map
                .find::<SegmentSet<()>>(pc)
                .map(|set| set.map(|set| set.segments)),
        };
        let set = set.map_err(|_| bad_key_map())?.unwrap_or_default();
        found.extend(
            (0..SEGMENTS)
                .filter(|place| set >> place & 1 != 0)
                .map(|place| first + place),
        );
    }
    found.retain(|number| range.contains(number));
    let unmapped = unmapped(index);
    for number in unmapped.start.max(range.start)..unmapped.end.min(range.end) {
        let Some(segment) = index.segment(number) else {
            continue;
        };
        let has_it = match key {
            SegmentKey::Granule(granule) => segment.granule(granule)?.is_some(),
            SegmentKey::Pc(pc) => segment.visits(pc)?.is_some(),
        };
        found.extend(has_it.then_some(number));
    }
    Ok(found)
}

/// Returns the number of groups of segments: those under each key map, and last those without
/// one.
pub(crate) fn group_count(index: &Index) -> usize {
    index.contents.key_maps.len() + 1
}

/// Returns the segments in `range` of a group that may touch a block, ascending; none when
/// `wants` rejects the union of the group's touches of the block. Cost: one lookup.
pub(crate) fn group_segments(
    index: &Index,
    group: usize,
    granule: u64,
    range: &Range<usize>,
    wants: &dyn Fn(TouchCoverage) -> bool,
) -> Result<impl DoubleEndedIterator<Item = usize> + use<>, QueryError> {
    let maps = index.contents.key_maps.get(group);
    let Range { start, end } = maps.map_or(unmapped(index), |maps| {
        maps.first as usize..maps.end as usize
    });
    let within = start.max(range.start)..end.min(range.end);
    let set = match maps.filter(|_| !within.is_empty()) {
        Some(_) => {
            let found = index
                .key_map(group, SegmentKey::Granule(granule))?
                .find::<SegmentSet<TouchCoverage>>(granule);
            let set = found.map_err(|_| bad_key_map())?.unwrap_or_default();
            Some(if set.gist.is_none_or(wants) {
                set.segments
            } else {
                0
            })
        }
        None => None,
    };
    let has_it =
        move |number: &usize| set.is_none_or(|set| set >> (number - start).min(63) & 1 != 0);
    Ok(within.filter(has_it))
}

/// Returns the segments that no key map covers.
fn unmapped(index: &Index) -> Range<usize> {
    let count = index.contents.segments.len();
    mapped(&index.contents.key_maps).min(count)..count
}

/// Returns the first memory block from one on that any segment touches. Cost: as
/// [`Self::segments_with`].
pub(crate) fn next_granule(index: &Index, from: u64) -> Result<Option<u64>, QueryError> {
    let mut next: Option<u64> = None;
    let mut note = |granule: u64| {
        next = Some(next.map_or(granule, |next| next.min(granule)));
        false
    };
    for number in 0..index.contents.key_maps.len() {
        let map = index.key_map(number, SegmentKey::Granule(from))?;
        map.for_each_from(from, |granule, _: SegmentSet<TouchCoverage>| note(granule))
            .map_err(|_| bad_key_map())?;
    }
    for segment in unmapped(index).filter_map(|number| index.segment(number)) {
        let walked = segment
            .granules()?
            .for_each_from(from, |granule, _: Granule<'_>| note(granule));
        walked.map_err(|_| damaged(Section::Granules))?;
    }
    Ok(next)
}

/// Calls `tell` with all addresses of steps, in any order, some of them several times.
pub(crate) fn for_each_pc(index: &Index, mut tell: impl FnMut(u64)) -> Result<(), QueryError> {
    for number in 0..index.contents.key_maps.len() {
        let map = index.key_map(number, SegmentKey::Pc(0))?;
        let stated = map.for_each_from(0, |pc, _: SegmentSet<()>| {
            tell(pc);
            true
        });
        stated.map_err(|_| bad_key_map())?;
    }
    for segment in unmapped(index).filter_map(|number| index.segment(number)) {
        let stated = segment.pcs()?.for_each_from(0, |pc, _: SegmentVisits<'_>| {
            tell(pc);
            true
        });
        stated.map_err(|_| damaged(Section::Pcs))?;
    }
    Ok(())
}
