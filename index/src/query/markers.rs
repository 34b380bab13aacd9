//! The records of binary formats that are neither steps nor accesses.

use std::collections::BTreeSet;
use std::ops::Range;

use stepback_parsers::{MarkerKind, Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::markers::{MarkerCount, MarkerHit};
use crate::answers::thread::ThreadId;
use crate::index::{Index, Query};
use crate::read::slots::{EventKind, SlotEvent};
use crate::store::packed::List;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};
use crate::store::segment::views::markers_of;

/// Slots of so many are read in one go.
const NEAR: u64 = 128;

/// The markers of some kinds that show first at positions of a range, in trace order.
/// Cost: the lists of these kinds alone, and the text of the slots that are given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FindMarkers {
    /// Which; without any, all.
    pub kinds: Vec<MarkerKind>,
    /// Whose; without it, those of all threads.
    pub thread: Option<ThreadId>,
    /// The first position. What the trace says before its first step shows at position 0.
    pub from: Position,
    /// The last position.
    pub to: Position,
    /// With so many it ends, but those of one position stay together.
    pub limit: usize,
}

/// The last markers of some kinds that show at a position: those that show first at the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LastMarkers {
    /// Which; without any, all.
    pub kinds: Vec<MarkerKind>,
    /// Whose; without it, those of all threads.
    pub thread: Option<ThreadId>,
    /// When.
    pub at: Position,
}

impl Query for FindMarkers {
    type Answer = Vec<MarkerHit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<MarkerHit>, QueryError> {
        index.check_position(self.from)?;
        let wanted = Wanted { kinds: &self.kinds, thread: self.thread };
        let (mut range, mut hits) = (self.from.0..self.to.min(index.end()).0.saturating_add(1), Vec::new());
        for number in index.segments_with_markers(wanted) {
            cancel.check()?;
            let Some(segment) = index.segment(number).filter(|segment| segment.meta.step_base < range.end) else {
                break;
            };
            let lists = index.marker_lists(number, &segment, wanted)?;
            let slots = slots_of(&lists, segment.meta.step_base, &range, self.limit.saturating_sub(hits.len()))?;
            for near in slots.chunk_by(|one, next| next / NEAR == one / NEAR) {
                hits.extend(index.markers_in(near, wanted)?);
                // A slot may go on in the next segment, but was read as a whole.
                range.start = near.last().map_or(range.start, |last| last + 1);
            }
            if hits.len() >= self.limit {
                break;
            }
        }
        let last = self.limit.checked_sub(1).and_then(|last| hits.get(last)).map(|hit| hit.position);
        hits.truncate(last.map_or(hits.len().min(self.limit), |last| hits.partition_point(|hit| hit.position <= last)));
        Ok(hits)
    }
}

impl Query for LastMarkers {
    type Answer = Vec<MarkerHit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<MarkerHit>, QueryError> {
        index.check_position(self.at)?;
        let wanted = Wanted { kinds: &self.kinds, thread: self.thread };
        for number in index.segments_with_markers(wanted).into_iter().rev() {
            cancel.check()?;
            let Some(segment) = index.segment(number) else { continue };
            let below = self.at.0.saturating_add(1).saturating_sub(segment.meta.step_base);
            let below = u32::try_from(below).unwrap_or(u32::MAX);
            let mut last = None;
            for list in index.marker_lists(number, &segment, wanted)? {
                last = last.max(list.last_below(below).map_err(|_| damaged(Section::Registers))?);
            }
            if let Some(last) = last {
                return index.markers_in(&[segment.meta.step_base.saturating_add(u64::from(last))], wanted);
            }
        }
        Ok(Vec::new())
    }
}

/// Which markers are meant.
#[derive(Clone, Copy, Debug)]
struct Wanted<'a> {
    kinds: &'a [MarkerKind],
    thread: Option<ThreadId>,
}

impl Wanted<'_> {
    fn includes(self, thread: ThreadId, kind: MarkerKind) -> bool {
        self.thread.is_none_or(|wanted| wanted == thread) && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }
}

impl<S: Source> Index<S> {
    /// How many markers of each kind each thread has, by thread and kind.
    pub fn marker_counts(&self) -> impl Iterator<Item = MarkerCount> + '_ {
        let known = self.contents.markers.iter();
        known.map(|known| MarkerCount { thread: ThreadId(known.thread), kind: known.kind, count: known.count })
    }

    /// The segments with such markers, ascending.
    fn segments_with_markers(&self, wanted: Wanted<'_>) -> Vec<usize> {
        let known = self.contents.markers.iter().filter(|known| wanted.includes(ThreadId(known.thread), known.kind));
        let segments: BTreeSet<_> =
            known.flat_map(|known| known.segments.iter().map(|number| *number as usize)).collect();
        segments.into_iter().collect()
    }

    /// The lists of such markers in a segment.
    fn marker_lists<'a>(
        &self,
        number: usize,
        segment: &SegmentReader<'a>,
        wanted: Wanted<'_>,
    ) -> Result<Vec<List<'a>>, QueryError> {
        let mut lists = Vec::new();
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        for known in &self.contents.markers {
            if !wanted.includes(ThreadId(known.thread), known.kind) || known.segments.binary_search(&number).is_err() {
                continue;
            }
            let locals = segment.meta.threads.iter().zip(0..).filter(|(thread, _)| thread.thread == known.thread);
            for (_, local) in locals {
                lists.extend(segment.list(local, markers_of(known.kind))?);
            }
        }
        Ok(lists)
    }

    /// Such markers of some slots that lie close together.
    fn markers_in(&self, slots: &[u64], wanted: Wanted<'_>) -> Result<Vec<MarkerHit>, QueryError> {
        let Some((first, last)) = slots.first().zip(slots.last()) else { return Ok(Vec::new()) };
        let events = self.events(*first..last.saturating_add(1))?;
        let is_meant = |event: &SlotEvent| slots.binary_search(&event.slot).is_ok();
        let mut hits = Vec::new();
        for event in events.into_iter().filter(is_meant) {
            let EventKind::Marker(marker) = event.kind else { continue };
            if wanted.includes(event.thread, marker.kind) {
                let step = self.owner(event.thread, event.slot)?;
                hits.push(MarkerHit { position: Position(event.slot), step, thread: event.thread, marker });
            }
        }
        Ok(hits)
    }
}

/// The slots with such markers in a segment, of a range of the trace's: ascending, at most so many.
fn slots_of(lists: &[List<'_>], step_base: u64, range: &Range<u64>, limit: usize) -> Result<Vec<u64>, QueryError> {
    let local = |slot: u64| u32::try_from(slot.saturating_sub(step_base)).unwrap_or(u32::MAX);
    let (from, below) = (local(range.start), local(range.end));
    let malformed = |_| damaged(Section::Registers);
    let mut slots = BTreeSet::new();
    for list in lists {
        let first = list.count_below(from).map_err(malformed)?;
        let behind = list.count_below(below).map_err(malformed)?.min(first.saturating_add(limit));
        for place in first..behind {
            slots.insert(step_base.saturating_add(u64::from(list.get(place).map_err(malformed)?)));
        }
    }
    Ok(slots.into_iter().take(limit).collect())
}
