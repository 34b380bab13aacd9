//! The records of binary formats that are neither steps nor accesses.

use stepback_parsers::{MarkerKind, Position};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::markers::MarkerHit;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::slots::SlotReader;

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

/// The first position of a trace, from one on, at which a marker of some kinds shows first.
/// Cost: lookups in the lists of these kinds; no text is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NextMarker {
    /// Which; without any, all.
    pub kinds: Vec<MarkerKind>,
    /// From where, this position included.
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
