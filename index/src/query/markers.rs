//! The records of binary formats that are neither steps nor accesses.

use std::collections::BTreeSet;
use std::ops::Range;

use stepback_parsers::{MarkerKind, Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::markers::MarkerHit;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::SlotReader;
use crate::store::packed::List;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Slots are read together when they lie in the same run of this many.
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
    /// The answer ends with this many, but those of one position stay together.
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
        SlotReader(index).check_position(self.from)?;
        let wanted = WantedMarkers { kinds: &self.kinds, thread: self.thread };
        let (mut range, mut hits) = (self.from.0..self.to.min(index.end()).0.saturating_add(1), Vec::new());
        for number in MarkerReader(index).segments_with_markers(wanted) {
            cancel.check()?;
            let Some(segment) = index.segment(number).filter(|segment| segment.meta.step_base < range.end) else {
                break;
            };
            let lists = MarkerReader(index).marker_lists(&segment, wanted)?;
            let slots = slots_of(&lists, segment.meta.step_base, &range, self.limit.saturating_sub(hits.len()))?;
            for near in slots.chunk_by(|one, next| next / NEAR == one / NEAR) {
                hits.extend(MarkerReader(index).markers_in(near, wanted)?);
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
        let wanted = WantedMarkers { kinds: &self.kinds, thread: self.thread };
        MarkerReader(index).last(wanted, self.at, cancel)
    }
}

/// The slots of a range that have such markers in a segment: ascending, at most `limit`.
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
