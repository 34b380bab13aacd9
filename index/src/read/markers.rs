//! The markers of a trace, through the lists of their kinds.

use std::collections::BTreeSet;

use stepback_parsers::{MarkerKind, Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::markers::{MarkerCount, MarkerHit};
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::slots::{EventKind, SlotEvent, SlotReader};
use crate::store::packed::List;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};
use crate::store::segment::views::markers_of;

/// Which markers are meant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedMarkers<'a> {
    /// Which; without any, all.
    pub kinds: &'a [MarkerKind],
    /// Whose; without it, those of all threads.
    pub thread: Option<ThreadId>,
}

impl WantedMarkers<'_> {
    fn includes(self, thread: ThreadId, kind: MarkerKind) -> bool {
        self.thread.is_none_or(|wanted| wanted == thread) && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }
}

/// Finds markers.
pub struct MarkerReader<'a, S>(pub &'a Index<S>);

impl<'a, S: Source> MarkerReader<'a, S> {
    /// How many markers of each kind each thread has, by thread and kind.
    pub fn marker_counts(&self) -> impl Iterator<Item = MarkerCount> + '_ {
        let known = self.0.contents.markers.iter();
        known.map(|known| MarkerCount { thread: ThreadId(known.thread), kind: known.kind, count: known.count })
    }

    /// The last markers that show at a position: those that show first at the same one.
    pub(crate) fn last(
        &self,
        wanted: WantedMarkers<'_>,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Vec<MarkerHit>, QueryError> {
        SlotReader(self.0).check_position(at)?;
        for number in self.segments_with_markers(wanted).into_iter().rev() {
            cancel.check()?;
            let Some(segment) = self.0.segment(number) else { continue };
            let below = at.0.saturating_add(1).saturating_sub(segment.meta.step_base);
            let below = u32::try_from(below).unwrap_or(u32::MAX);
            let mut last = None;
            for list in self.marker_lists(number, &segment, wanted)? {
                last = last.max(list.last_below(below).map_err(|_| damaged(Section::Registers))?);
            }
            if let Some(last) = last {
                return self.markers_in(&[segment.meta.step_base.saturating_add(u64::from(last))], wanted);
            }
        }
        Ok(Vec::new())
    }

    /// The segments with such markers, ascending.
    pub(crate) fn segments_with_markers(&self, wanted: WantedMarkers<'_>) -> Vec<usize> {
        let known = self.0.contents.markers.iter().filter(|known| wanted.includes(ThreadId(known.thread), known.kind));
        let segments: BTreeSet<_> =
            known.flat_map(|known| known.segments.iter().map(|number| *number as usize)).collect();
        segments.into_iter().collect()
    }

    /// The lists of such markers in a segment.
    pub(crate) fn marker_lists<'b>(
        &self,
        number: usize,
        segment: &SegmentReader<'b>,
        wanted: WantedMarkers<'_>,
    ) -> Result<Vec<List<'b>>, QueryError> {
        let mut lists = Vec::new();
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        for known in &self.0.contents.markers {
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
    pub(crate) fn markers_in(&self, slots: &[u64], wanted: WantedMarkers<'_>) -> Result<Vec<MarkerHit>, QueryError> {
        let Some((first, last)) = slots.first().zip(slots.last()) else { return Ok(Vec::new()) };
        let events = SlotReader(self.0).events(*first..last.saturating_add(1))?;
        let is_meant = |event: &SlotEvent| slots.binary_search(&event.slot).is_ok();
        let mut hits = Vec::new();
        for event in events.into_iter().filter(is_meant) {
            let EventKind::Marker(marker) = event.kind else { continue };
            if wanted.includes(event.thread, marker.kind) {
                let step = SlotReader(self.0).owner(event.thread, event.slot)?;
                hits.push(MarkerHit { position: Position(event.slot), step, thread: event.thread, marker });
            }
        }
        Ok(hits)
    }
}
