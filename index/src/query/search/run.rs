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

/// Hands out the hits from a position on, at most `limit`, until `each` breaks.
pub(crate) fn run<S: Source, K: Search>(
    search: &K,
    (index, cancel): (&Index<S>, &Cancel),
    (from, mut limit): (Position, usize),
    mut each: impl FnMut(Searched) -> ControlFlow<()>,
) -> Result<(), QueryError> {
    SlotReader(index).check_position(from)?;
    let behind = index.step_count() + 1;
    let (mut first, mut count) = (from.0 + 1, FIRST_ROUND);
    while first < behind && limit > 0 {
        let end = first.saturating_add(count).min(behind);
        let found = slots_of_round(search, (index, cancel), first..end)?;
        let mut rest = found.as_slice();
        while limit > 0 {
            // Most slots have one hit.
            let (batch, later) = rest.split_at(rest.len().min(BATCH).min(limit));
            let mut hits = hits_of_batch(search, (index, cancel), batch)?;
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

fn slots_of_round<S: Source, K: Search>(
    search: &K,
    (index, cancel): (&Index<S>, &Cancel),
    round: Range<u64>,
) -> Result<Vec<u64>, QueryError> {
    let blocks: Vec<u64> = round.clone().step_by(BLOCK as usize).collect();
    let found = blocks.into_par_iter().map(|first| {
        cancel.check()?;
        search.slots(index, first..(first + BLOCK).min(round.end), cancel)
    });
    Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
}

fn hits_of_batch<S: Source, K: Search>(
    search: &K,
    (index, cancel): (&Index<S>, &Cancel),
    slots: &[u64],
) -> Result<Vec<Hit>, QueryError> {
    let hits = slots.par_chunks(SLOTS).map(|slots| {
        cancel.check()?;
        search.hits(index, slots)
    });
    let mut hits = hits.collect::<Result<Vec<_>, _>>()?;
    Ok(if hits.len() == 1 { hits.remove(0) } else { hits.into_iter().flatten().collect() })
}

/// All hits at once.
pub(crate) fn collect<S: Source, K: Search>(
    search: &K,
    asked: (&Index<S>, &Cancel),
    bounds: (Position, usize),
) -> Result<Vec<Hit>, QueryError> {
    let mut hits = Vec::new();
    run(search, asked, bounds, |found| {
        hits.extend(found.hits);
        ControlFlow::Continue(())
    })?;
    Ok(hits)
}
