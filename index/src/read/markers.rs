//! Markers of a trace, through the lists of their kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use stepback_parsers::{MarkerKind, Position};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::{MarkerCount, MarkerHit};
use crate::index::Index;
use crate::read::segments::nearest_slot;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::store::contents::MarkerContents;
use crate::store::packed::PackedList;
use crate::store::segment::meta::{SHARING_CALLS, Section, markers_of, markers_of_all};
use crate::store::segment::reader::{SegmentReader, damaged};

/// Length of the runs of slots that are read together.
const NEAR: u64 = 128;

/// Filter for markers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedMarkers<'a> {
    /// Kinds of marker; all if empty.
    pub kinds: &'a [MarkerKind],
    /// Thread of the markers; all threads without one.
    pub thread: Option<ThreadId>,
}

impl WantedMarkers<'_> {
    fn includes(self, thread: ThreadId, kind: MarkerKind) -> bool {
        self.thread.is_none_or(|wanted| wanted == thread) && self.includes_kind(kind)
    }

    fn includes_kind(self, kind: MarkerKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// Finds markers.
pub struct MarkerReader<'a>(pub &'a Index);

impl<'a> MarkerReader<'a> {
    /// Iterates over the number of markers of each kind and thread, by thread and kind.
    pub fn marker_counts(&self) -> impl Iterator<Item = MarkerCount> + '_ {
        let known = self
            .0
            .contents
            .markers
            .iter()
            .filter(|known| known.kind != SHARING_CALLS);
        known.map(|known| MarkerCount {
            thread: ThreadId(known.thread),
            kind: known.kind,
            count: known.count,
        })
    }

    /// Returns the last markers that show at a position: those that first show at the last position
    /// with any.
    pub(crate) fn last(
        &self,
        wanted: WantedMarkers<'_>,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Vec<MarkerHit>, QueryError> {
        match self.last_slot(wanted, at, cancel)? {
            Some(slot) => self.markers_in(&[slot], wanted),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the last slot with such markers up to a position. Cost: lookups in the lists of the
    /// last segment that has some.
    pub(crate) fn last_slot(
        &self,
        wanted: WantedMarkers<'_>,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        SlotReader(self.0).check_position(at)?;
        let segments = self.segments_with_markers(wanted);
        nearest_slot(
            self.0,
            &segments,
            at.0,
            Direction::Back,
            |segment, bound| {
                cancel.check()?;
                self.nearest_in(segment, wanted, bound, Direction::Back)
            },
        )
    }

    /// Returns the nearest slot of a segment, from `bound` on, with such a marker.
    fn nearest_in(
        &self,
        segment: &SegmentReader<'_>,
        wanted: WantedMarkers<'_>,
        bound: u32,
        direction: Direction,
    ) -> Result<Option<u32>, QueryError> {
        let mut nearest = None;
        for list in self.marker_lists(segment, wanted)? {
            let found = list
                .nearest(bound, direction)
                .map_err(|_| damaged(Section::Registers))?;
            nearest = direction.nearer(nearest, found);
        }
        Ok(nearest)
    }

    /// Returns the first slot from one on with a marker of some kinds, of any thread; all kinds if
    /// empty. Cost: for each kind, lookups in the list of the first segment that has one.
    pub(crate) fn next_slot(
        &self,
        kinds: &[MarkerKind],
        from: u64,
    ) -> Result<Option<u64>, QueryError> {
        let known = self.segments_by_kind().keys().copied();
        let wanted = WantedMarkers {
            kinds,
            thread: None,
        };
        let mut first: Option<u64> = None;
        for kind in known.filter(|kind| *kind != SHARING_CALLS && wanted.includes_kind(*kind)) {
            first = first
                .into_iter()
                .chain(self.next_slot_of_all(kind, from)?)
                .min();
        }
        Ok(first)
    }

    /// Returns the first slot from one on with such a marker of any thread. Cost: lookups in the
    /// list of the first segment that has one.
    pub(crate) fn next_slot_of_all(
        &self,
        kind: MarkerKind,
        from: u64,
    ) -> Result<Option<u64>, QueryError> {
        let Some(segments) = self.segments_by_kind().get(&kind) else {
            return Ok(None);
        };
        let wanted = WantedMarkers {
            kinds: &[kind],
            thread: None,
        };
        nearest_slot(
            self.0,
            segments,
            from,
            Direction::Forward,
            |segment, bound| self.nearest_in(segment, wanted, bound, Direction::Forward),
        )
    }

    /// Passes such markers of a range of slots to `take` in trace order, those of some slots at a
    /// time. `take` returns the number of further markers wanted; the first call has none. Markers
    /// of one slot stay together. Cost: the lists of only these kinds, and the text of the slots
    /// that have some.
    pub(crate) fn each_in(
        &self,
        wanted: WantedMarkers<'_>,
        mut range: Range<u64>,
        cancel: &Cancel,
        mut take: impl FnMut(Vec<MarkerHit>) -> usize,
    ) -> Result<(), QueryError> {
        let mut limit = take(Vec::new());
        if limit == 0 {
            return Ok(());
        }
        let segments = self.segments_with_markers(wanted);
        for number in self.those_from(&segments, range.start) {
            cancel.check()?;
            let Some(segment) = self
                .0
                .segment(*number as usize)
                .filter(|segment| segment.meta.step_base < range.end)
            else {
                break;
            };
            let lists = self.marker_lists(&segment, wanted)?;
            let slots = slots_of(&lists, segment.meta.step_base, &range, limit)?;
            for near in slots.chunk_by(|one, next| next / NEAR == one / NEAR) {
                cancel.check()?;
                limit = take(self.markers_in(near, wanted)?);
                if limit == 0 {
                    return Ok(());
                }
                // A slot may continue in the next segment, but was read as a whole.
                range.start = near.last().map_or(range.start, |last| last + 1);
            }
        }
        Ok(())
    }

    /// Returns those of some ascending segments that may have slots from one on. Cost: a binary
    /// search.
    fn those_from<'b>(&self, segments: &'b [u32], from: u64) -> &'b [u32] {
        let base = |number: u32| {
            self.0
                .contents
                .segments
                .get(number as usize)
                .map_or(u64::MAX, |segment| segment.step_base)
        };
        let start = segments
            .partition_point(|number| base(*number) < from)
            .saturating_sub(1);
        segments.get(start..).unwrap_or_default()
    }

    /// Returns the segments with such markers, ascending.
    pub(crate) fn segments_with_markers(&self, wanted: WantedMarkers<'_>) -> Vec<u32> {
        let mut segments: Vec<u32> = match wanted.thread {
            Some(thread) => {
                let own = self
                    .known_of(thread)
                    .iter()
                    .filter(|known| wanted.includes(thread, known.kind));
                own.flat_map(|known| &known.segments).copied().collect()
            }
            None => {
                let kinds = self
                    .segments_by_kind()
                    .iter()
                    .filter(|(kind, _)| wanted.includes_kind(**kind));
                kinds
                    .flat_map(|(_, segments)| segments.iter().copied())
                    .collect()
            }
        };
        segments.sort_unstable();
        segments.dedup();
        segments
    }

    /// Returns the marker kinds of a thread; the table is sorted by thread and kind.
    fn known_of(&self, thread: ThreadId) -> &'a [MarkerContents] {
        let known = &self.0.contents.markers;
        let first = known.partition_point(|known| known.thread < thread.0);
        let end = known.partition_point(|known| known.thread <= thread.0);
        known.get(first..end).unwrap_or_default()
    }

    /// Returns the segments of each kind: computed once, since the table has an entry for each
    /// thread.
    fn segments_by_kind(&self) -> &'a BTreeMap<MarkerKind, Vec<u32>> {
        self.0.caches.marker_segments.get_or_init(|| {
            let mut by_kind: BTreeMap<MarkerKind, Vec<u32>> = BTreeMap::new();
            for known in &self.0.contents.markers {
                by_kind
                    .entry(known.kind)
                    .or_default()
                    .extend(&known.segments);
            }
            for segments in by_kind.values_mut() {
                segments.sort_unstable();
                segments.dedup();
            }
            by_kind
        })
    }

    /// Returns the lists of such markers in a segment: without a thread, those of all threads
    /// together.
    pub(crate) fn marker_lists<'b>(
        &self,
        segment: &SegmentReader<'b>,
        wanted: WantedMarkers<'_>,
    ) -> Result<Vec<PackedList<'b>>, QueryError> {
        let mut lists = Vec::new();
        if let Some(thread) = wanted.thread {
            let kinds = self
                .known_of(thread)
                .iter()
                .map(|known| known.kind)
                .filter(|kind| wanted.includes_kind(*kind));
            for kind in kinds {
                for local in segment.meta.local_threads(thread.0) {
                    lists.extend(segment.list(*local, markers_of(kind))?);
                }
            }
            return Ok(lists);
        }
        for kind in self
            .segments_by_kind()
            .keys()
            .copied()
            .filter(|kind| wanted.includes_kind(*kind))
        {
            match segment.list(0, markers_of_all(kind))? {
                Some(list) => lists.push(list),
                None if segment.meta.threads.len() > 1 => {}
                None => lists.extend(segment.list(0, markers_of(kind))?),
            }
        }
        Ok(lists)
    }

    /// Returns such markers of some slots that are close together.
    pub(crate) fn markers_in(
        &self,
        slots: &[u64],
        wanted: WantedMarkers<'_>,
    ) -> Result<Vec<MarkerHit>, QueryError> {
        let Some((first, last)) = slots.first().zip(slots.last()) else {
            return Ok(Vec::new());
        };
        let events = SlotReader(self.0).events(*first..last.saturating_add(1))?;
        let is_meant = |event: &SlotEvent| slots.binary_search(&event.slot).is_ok();
        let mut hits = Vec::new();
        for event in events.into_iter().filter(is_meant) {
            let SlotEventKind::Marker(marker) = event.kind else {
                continue;
            };
            if wanted.includes(event.thread, marker.kind) {
                let step = SlotReader(self.0).owner(event.thread, event.slot)?;
                hits.push(MarkerHit {
                    position: Position(event.slot),
                    step,
                    thread: event.thread,
                    marker,
                });
            }
        }
        Ok(hits)
    }
}

/// Returns the slots of a range that have such markers in a segment: ascending, at most `limit`.
fn slots_of(
    lists: &[PackedList<'_>],
    step_base: u64,
    range: &Range<u64>,
    limit: usize,
) -> Result<Vec<u64>, QueryError> {
    let local = |slot: u64| u32::try_from(slot.saturating_sub(step_base)).unwrap_or(u32::MAX);
    let (from, below) = (local(range.start), local(range.end));
    let malformed = |_| damaged(Section::Registers);
    let mut slots = BTreeSet::new();
    for list in lists {
        let first = list.count_below(from).map_err(malformed)?;
        let after = list
            .count_below(below)
            .map_err(malformed)?
            .min(first.saturating_add(limit));
        for place in first..after {
            slots.insert(step_base.saturating_add(u64::from(list.get(place).map_err(malformed)?)));
        }
    }
    Ok(slots.into_iter().take(limit).collect())
}
