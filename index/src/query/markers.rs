//! Markers: the records of binary formats that are neither steps nor accesses.

use stepback_parsers::{MarkerKind, Position};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::MarkerHit;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::SlotReader;

/// Finds the markers of some kinds that first show at positions of a range, in trace order. Cost:
/// the lists of only these kinds, and the text of the slots with hits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FindMarkers {
    /// Kinds of marker; all if empty.
    pub kinds: Vec<MarkerKind>,
    /// Thread of the markers; all threads without one.
    pub thread: Option<ThreadId>,
    /// First position. Markers before the first step of the trace show at position 0.
    pub from: Position,
    /// Last position.
    pub to: Position,
    /// The answer ends with this many, but those of one position stay together.
    pub limit: usize,
}

/// Finds the last markers of some kinds that show at a position: those that first show at the last
/// position with any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LastMarkers {
    /// Kinds of marker; all if empty.
    pub kinds: Vec<MarkerKind>,
    /// Thread of the markers; all threads without one.
    pub thread: Option<ThreadId>,
    /// Position of the query.
    pub at: Position,
}

/// Finds the first position, from one on, at which a marker of some kinds first shows. Cost:
/// lookups in the lists of these kinds; no text is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NextMarker {
    /// Kinds of marker; all if empty.
    pub kinds: Vec<MarkerKind>,
    /// First position, included.
    pub from: Position,
}

impl Query for FindMarkers {
    type Answer = Vec<MarkerHit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<MarkerHit>, QueryError> {
        SlotReader(index).check_position(self.from)?;
        let wanted = WantedMarkers {
            kinds: &self.kinds,
            thread: self.thread,
        };
        let (range, mut hits) = (
            self.from.0..self.to.min(index.end()).0.saturating_add(1),
            Vec::new(),
        );
        MarkerReader(index).each_in(wanted, range, cancel, |found| {
            hits.extend(found);
            self.limit.saturating_sub(hits.len())
        })?;
        let last = self
            .limit
            .checked_sub(1)
            .and_then(|last| hits.get(last))
            .map(|hit| hit.position);
        hits.truncate(last.map_or(hits.len().min(self.limit), |last| {
            hits.partition_point(|hit| hit.position <= last)
        }));
        Ok(hits)
    }
}

impl Query for NextMarker {
    type Answer = Option<Position>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Position>, QueryError> {
        cancel.check()?;
        SlotReader(index).check_position(self.from)?;
        Ok(MarkerReader(index)
            .next_slot(&self.kinds, self.from.0)?
            .map(Position))
    }
}

impl Query for LastMarkers {
    type Answer = Vec<MarkerHit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<MarkerHit>, QueryError> {
        let wanted = WantedMarkers {
            kinds: &self.kinds,
            thread: self.thread,
        };
        MarkerReader(index).last(wanted, self.at, cancel)
    }
}
