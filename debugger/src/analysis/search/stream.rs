//! Streams hits from a position on.

use std::ops::ControlFlow;

use stepback_index::{
    AccessKinds, Cancel, Cell, FindBytes, FindText, FindValue, Hit, Index, MemoryRange, Number,
    QueryError, SearchBatch, ThreadId,
};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::question::Search;
use crate::analysis::walk::{HitCursor, HitOutcome, HitQuery, Subject};

/// Maximum number of hits passed on at once.
const BATCH: usize = 64;

/// Restriction of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchExtent {
    /// Thread to search; `None` for all.
    pub thread: Option<ThreadId>,
    /// Start position.
    pub from: Position,
    /// Maximum number of hits.
    pub limit: usize,
}

impl Search {
    /// Passes the hits in trace order to `each` until it breaks. The last call of `each` has the
    /// end of the trace, unless the limit ended the search. Memory is bounded for any number of
    /// hits.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn stream(
        &self,
        extent: SearchExtent,
        index: &Index,
        cancel: &Cancel,
        each: impl FnMut(SearchBatch) -> ControlFlow<()>,
    ) -> Result<(), QueryError> {
        let SearchExtent {
            thread,
            from,
            limit,
        } = extent;
        match self {
            Self::Text(pattern) => FindText {
                what: pattern.clone(),
                thread,
                from,
                limit,
            }
            .stream(index, cancel, each),
            Self::Value(value) => FindValue {
                what: *value,
                thread,
                from,
                limit,
            }
            .stream(index, cancel, each),
            Self::Bytes(bytes) => FindBytes {
                what: bytes.clone(),
                thread,
                from,
                limit,
            }
            .stream(index, cancel, each),
            Self::Accesses(cell, kinds, value) => {
                // Accesses of other values do not count towards the limit.
                let most = if value.is_some() { usize::MAX } else { limit };
                let walk = HitCursor::new(accesses(*cell, *kinds), from, most, index, cancel)
                    .of_thread(thread);
                let merged = MergedHits {
                    wanted: *value,
                    ..MergedHits::of_walks(vec![walk])?
                };
                walk_all(merged, extent, index, each)
            }
            Self::Visits(addresses) => {
                let walk = |address: &Address| {
                    HitCursor::new(
                        HitQuery::forward(Subject::Visits(vec![*address])),
                        from,
                        limit,
                        index,
                        cancel,
                    )
                    .of_thread(thread)
                };
                walk_all(
                    MergedHits::of_walks(addresses.iter().map(walk).collect())?,
                    extent,
                    index,
                    each,
                )
            }
        }
    }
}

/// Returns the query for accesses. If a step accesses memory several times, each access counts.
fn accesses(cell: Cell, kinds: AccessKinds) -> HitQuery {
    HitQuery::forward(match cell {
        Cell::Memory { address, len_bytes } => {
            Subject::EveryAccess(MemoryRange { address, len_bytes }, kinds)
        }
        Cell::Register { .. } | Cell::Physical { .. } => Subject::Accesses(cell, kinds),
    })
}

fn walk_all(
    mut hits: MergedHits<'_>,
    extent: SearchExtent,
    index: &Index,
    mut each: impl FnMut(SearchBatch) -> ControlFlow<()>,
) -> Result<(), QueryError> {
    let (mut left, mut batch) = (extent.limit, Vec::new());
    while left > 0 {
        let Some(hit) = hits.next_hit()? else { break };
        left -= 1;
        let to = hit.position;
        batch.push(hit);
        if (batch.len() >= BATCH || left == 0)
            && each(SearchBatch {
                hits: std::mem::take(&mut batch),
                to,
            })
            .is_break()
        {
            return Ok(());
        }
    }
    if left > 0 {
        // This is the last batch, so the result does not matter.
        let _ended = each(SearchBatch {
            hits: batch,
            to: index.end(),
        });
    }
    Ok(())
}

/// Several walks merged in trace order.
struct MergedHits<'a> {
    /// Each walk with its next hit.
    walks: Vec<(HitCursor<'a>, Hit)>,
    /// Value that accesses must have.
    wanted: Option<Number>,
}

impl<'a> MergedHits<'a> {
    fn of_walks(walks: Vec<HitCursor<'a>>) -> Result<Self, QueryError> {
        let mut begun = Vec::with_capacity(walks.len());
        for mut walk in walks {
            if let Some(hit) = next_of(&mut walk)? {
                begun.push((walk, hit));
            }
        }
        Ok(Self {
            walks: begun,
            wanted: None,
        })
    }

    fn next_hit(&mut self) -> Result<Option<Hit>, QueryError> {
        loop {
            match self.next_of_any()? {
                Some(hit) if !has_value(&hit, self.wanted) => {}
                found => return Ok(found),
            }
        }
    }

    fn next_of_any(&mut self) -> Result<Option<Hit>, QueryError> {
        let places = self.walks.iter().enumerate();
        let Some(place) = places
            .min_by_key(|(_, (_, hit))| hit.position)
            .map(|(place, _)| place)
        else {
            return Ok(None);
        };
        let Some((walk, hit)) = self.walks.get_mut(place) else {
            return Ok(None);
        };
        match next_of(walk)? {
            Some(next) => Ok(Some(std::mem::replace(hit, next))),
            None => Ok(Some(self.walks.swap_remove(place).1)),
        }
    }
}

/// Returns true if a hit accesses the wanted value, or if any value will do.
pub(super) fn has_value(hit: &Hit, wanted: Option<Number>) -> bool {
    wanted.is_none_or(|wanted| {
        hit.access
            .as_ref()
            .is_some_and(|access| wanted.is(&access.value))
    })
}

/// Returns the next hit of a forward walk, which has nothing but hits.
fn next_of(walk: &mut HitCursor<'_>) -> Result<Option<Hit>, QueryError> {
    Ok(match walk.next_hit()? {
        HitOutcome::Hit(hit) => Some(*hit),
        HitOutcome::Initial(_) | HitOutcome::Nothing => None,
    })
}
