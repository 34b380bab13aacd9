//! Search runner: blocks of steps in parallel, their hits in order.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;
use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Hit;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::slots::SlotReader;

/// Partial result of a running search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchBatch {
    /// Next hits in trace order, possibly none.
    pub hits: Vec<Hit>,
    /// Position up to which all hits were reported.
    pub to: Position,
}

/// A search from a position on, in trace order. Cost: the trace is parsed once on all cores; see
/// each kind of target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Find<W> {
    /// Search target.
    pub what: W,
    /// Thread of the steps; all threads without one.
    pub thread: Option<ThreadId>,
    /// First position.
    pub from: Position,
    /// Maximum number of hits.
    pub limit: usize,
}

/// A search target that is matched slot by slot.
pub trait SearchTarget: Sized + Sync {
    /// Prefilter for text traces.
    type InText: Sync;

    /// Creates the prefilter, once per search.
    fn in_text(&self) -> Self::InText;

    /// Returns the slots of a range that may have hits, ascending.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn slots(
        &self,
        in_text: &Self::InText,
        index: &Index,
        range: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, QueryError>;

    /// Returns the hits in some of these slots, in order.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn hits(
        find: &Find<Self>,
        index: &Index,
        slots: &[u64],
        cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError>;
}

impl<W: SearchTarget> Query for Find<W> {
    type Answer = Vec<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Hit>, QueryError> {
        let mut hits = Vec::new();
        self.stream(index, cancel, |found| {
            hits.extend(found.hits);
            ControlFlow::Continue(())
        })?;
        Ok(hits)
    }
}

impl<W: SearchTarget> Find<W> {
    /// Reports the hits as they are found, until `each` breaks. Memory is bounded for any number of
    /// hits.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn stream(
        &self,
        index: &Index,
        cancel: &Cancel,
        each: impl FnMut(SearchBatch) -> ControlFlow<()>,
    ) -> Result<(), QueryError> {
        SearchRun {
            find: self,
            in_text: self.what.in_text(),
            index,
            cancel,
        }
        .run(each)
    }
}

/// Number of steps in the first round. Each round has twice as many as the one before, so that the
/// first hit shows soon.
const FIRST_ROUND: u64 = 1 << 10;
const LAST_ROUND: u64 = 1 << 18;
/// Number of steps that one thread searches at once: about a megabyte of text.
const BLOCK: u64 = 1 << 13;
/// Number of slots that one thread converts to hits at once.
const SLOTS: usize = 128;
/// Number of slots reported together. It bounds memory, since a hit takes some hundred bytes.
const BATCH: usize = 32 * SLOTS;

/// A running search.
struct SearchRun<'a, W: SearchTarget> {
    find: &'a Find<W>,
    in_text: W::InText,
    index: &'a Index,
    cancel: &'a Cancel,
}

impl<W: SearchTarget> SearchRun<'_, W> {
    /// Reports the hits until `each` breaks.
    fn run(&self, mut each: impl FnMut(SearchBatch) -> ControlFlow<()>) -> Result<(), QueryError> {
        SlotReader(self.index).check_position(self.find.from)?;
        let behind = self.index.step_count() + 1;
        let (mut first, mut count, mut limit) =
            (self.find.from.0 + 1, FIRST_ROUND, self.find.limit);
        while first < behind && limit > 0 {
            let end = first.saturating_add(count).min(behind);
            let found = self.slots_of_round(first..end)?;
            let mut rest = found.as_slice();
            while limit > 0 {
                // Most slots have one hit.
                let (batch, later) = rest.split_at(rest.len().min(BATCH).min(limit));
                let mut hits = self.hits_of_batch(batch)?;
                hits.truncate(limit);
                limit -= hits.len();
                let to = Position(later.first().map_or(end, |next| *next) - 1);
                if each(SearchBatch { hits, to }).is_break() {
                    return Ok(());
                }
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            (first, count) = (end, (2 * count).min(LAST_ROUND));
        }
        Ok(())
    }

    fn slots_of_round(&self, round: Range<u64>) -> Result<Vec<u64>, QueryError> {
        let blocks: Vec<u64> = round.clone().step_by(BLOCK as usize).collect();
        let found = blocks.into_par_iter().map(|first| {
            self.cancel.check()?;
            self.find.what.slots(
                &self.in_text,
                self.index,
                first..(first + BLOCK).min(round.end),
                self.cancel,
            )
        });
        Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn hits_of_batch(&self, slots: &[u64]) -> Result<Vec<Hit>, QueryError> {
        let hits = slots.par_chunks(SLOTS).map(|slots| {
            self.cancel.check()?;
            W::hits(self.find, self.index, slots, self.cancel)
        });
        let mut hits = hits.collect::<Result<Vec<_>, _>>()?;
        Ok(if hits.len() == 1 {
            hits.remove(0)
        } else {
            hits.into_iter().flatten().collect()
        })
    }
}
