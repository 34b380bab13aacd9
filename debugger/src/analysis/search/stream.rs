//! Hits as they are found, from a position on.

use std::ops::ControlFlow;

use stepback_index::{
    AccessKinds, Cancel, Cell, FindBytes, FindText, FindValue, Hit, Index, MemoryRange, Number,
    QueryError, SearchBatch, ThreadId,
};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::question::Search;
use crate::analysis::walk::{HitCursor, HitOutcome, HitQuery, Subject};

/// Hits of a walk that are handed out together.
const BATCH: usize = 64;

/// Whose hits are wanted, and which.
#[derive(Clone, Copy, Debug)]
pub struct SearchExtent {
    /// Whose; none: those of all threads.
    pub thread: Option<ThreadId>,
    /// From where.
    pub from: Position,
    /// At most so many.
    pub limit: usize,
}

impl Search {
    /// Hands out the hits in the order of the trace until `each` breaks; the last call of `each` has the end of the trace,
    /// unless the limit ended the search. Memory: bounded, however many there are.
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
                // Those of other values do not count.
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

/// Of a step that accesses memory several times, each access counts.
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
        // Nobody asks whether this one breaks: it is the last.
        let _ended = each(SearchBatch {
            hits: batch,
            to: index.end(),
        });
    }
    Ok(())
}

/// Several walks as one, in the order of the trace.
struct MergedHits<'a> {
    /// Each with its next hit.
    walks: Vec<(HitCursor<'a>, Hit)>,
    /// Accesses of this value alone.
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

/// Whether an access is of a value, where one is wanted.
pub(super) fn has_value(hit: &Hit, wanted: Option<Number>) -> bool {
    wanted.is_none_or(|wanted| {
        hit.access
            .as_ref()
            .is_some_and(|access| wanted.is(&access.value))
    })
}

/// The next step of a walk onward, which meets nothing else.
fn next_of(walk: &mut HitCursor<'_>) -> Result<Option<Hit>, QueryError> {
    Ok(match walk.next_hit()? {
        HitOutcome::Hit(hit) => Some(*hit),
        HitOutcome::Initial(_) | HitOutcome::Nothing => None,
    })
}
