//! The course of a search: blocks of steps side by side, their hits in order.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;
use stepback_parsers::{Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::index::Index;
use crate::read::slots::SlotReader;

/// What a search found while it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The next hits in the order of the trace, possibly none.
    pub hits: Vec<Hit>,
    /// All hits up to here were handed out.
    pub to: Position,
}

/// A search that looks at slots one by one.
pub(crate) trait Search: Sync {
    /// The slots of a range that may have hits, ascending.
    fn slots<S: Source>(&self, index: &Index<S>, range: Range<u64>, cancel: &Cancel) -> Result<Vec<u64>, QueryError>;

    /// The hits in some of these slots, in order.
    fn hits<S: Source>(&self, index: &Index<S>, slots: &[u64]) -> Result<Vec<Hit>, QueryError>;
}

/// Steps in the first round. Each round has twice as many as the one before: the first hit shows soon.
const FIRST_ROUND: u64 = 1 << 10;
const LAST_ROUND: u64 = 1 << 18;
/// Steps that one thread searches at once: a megabyte of text or so.
const BLOCK: u64 = 1 << 13;
/// Slots whose hits one thread makes at once.
const SLOTS: usize = 128;
/// Slots whose hits are handed out together: it bounds memory, since a hit takes some hundred bytes.
const BATCH: usize = 32 * SLOTS;

/// A search from a position on.
pub(crate) struct Course<'a, S, K> {
    pub search: &'a K,
    pub index: &'a Index<S>,
    pub cancel: &'a Cancel,
    /// From where.
    pub from: Position,
    /// At most this many hits.
    pub limit: usize,
}

impl<S: Source, K: Search> Course<'_, S, K> {
    /// Hands out the hits until `each` breaks.
    pub fn run(&self, mut each: impl FnMut(Searched) -> ControlFlow<()>) -> Result<(), QueryError> {
        SlotReader(self.index).check_position(self.from)?;
        let behind = self.index.step_count() + 1;
        let (mut first, mut count, mut limit) = (self.from.0 + 1, FIRST_ROUND, self.limit);
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
                if each(Searched { hits, to }).is_break() {
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

    /// All hits at once.
    pub fn collect(&self) -> Result<Vec<Hit>, QueryError> {
        let mut hits = Vec::new();
        self.run(|found| {
            hits.extend(found.hits);
            ControlFlow::Continue(())
        })?;
        Ok(hits)
    }

    fn slots_of_round(&self, round: Range<u64>) -> Result<Vec<u64>, QueryError> {
        let blocks: Vec<u64> = round.clone().step_by(BLOCK as usize).collect();
        let found = blocks.into_par_iter().map(|first| {
            self.cancel.check()?;
            self.search.slots(self.index, first..(first + BLOCK).min(round.end), self.cancel)
        });
        Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn hits_of_batch(&self, slots: &[u64]) -> Result<Vec<Hit>, QueryError> {
        let hits = slots.par_chunks(SLOTS).map(|slots| {
            self.cancel.check()?;
            self.search.hits(self.index, slots)
        });
        let mut hits = hits.collect::<Result<Vec<_>, _>>()?;
        Ok(if hits.len() == 1 { hits.remove(0) } else { hits.into_iter().flatten().collect() })
    }
}
