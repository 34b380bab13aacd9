//! Executes a [`Search`]: streams its hits from a position on, or finds the hit next to a position.
//!
//! Text searches only run forward. To find the previous hit, windows of growing width before the
//! position are searched.

use std::ops::ControlFlow;

use stepback_index::answer::{AccessKinds, Cell, Direction, Hit, MemoryRange, Number, ThreadId};
use stepback_index::query::{FindBytes, FindText, FindValue, SearchBatch, TextPattern};
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

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

/// The target of a search, independent of how it was typed.
#[derive(Clone, Debug)]
pub enum Search {
    /// Steps whose disassembly or lines match.
    Text(TextPattern),
    /// Accesses of exactly this value.
    Value(Number),
    /// Accesses of memory that holds these bytes.
    Bytes(Vec<u8>),
    /// Accesses of a cell, restricted to a value if one is given.
    Accesses(Cell, AccessKinds, Option<Number>),
    /// Steps at any of these addresses.
    Visits(Vec<Address>),
}

/// Initial number of positions searched at once backward; doubles each time.
const WINDOW: u64 = 1 << 10;
const WIDEST: u64 = 1 << 20;

impl Search {
    /// Returns the position of the nearest hit visible after or before a position.
    ///
    /// Cost: the steps up to the hit; backward, for texts and values, up to twice as many.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn neighbour(
        &self,
        direction: Direction,
        at: Position,
        index: &Index,
        cancel: &Cancel,
    ) -> Result<Option<Position>, QueryError> {
        match (direction, self) {
            (Direction::Forward, _) => self.next_in(at, Position(u64::MAX), index, cancel),
            (Direction::Back, Self::Text(_) | Self::Value(_) | Self::Bytes(_)) => {
                self.last_by_windows(at, index, cancel)
            }
            (Direction::Back, Self::Accesses(cell, kinds, value)) => {
                let walk = HitCursor::new(
                    HitQuery::back(Subject::Accesses(*cell, *kinds)),
                    at,
                    usize::MAX,
                    index,
                    cancel,
                );
                last_of(walk.leaving(at), *value)
            }
            (Direction::Back, Self::Visits(addresses)) => {
                let mut last = None;
                for address in addresses {
                    let walk = HitCursor::new(
                        HitQuery::back(Subject::Visits(vec![*address])),
                        at,
                        1,
                        index,
                        cancel,
                    );
                    last = last.max(last_of(walk.leaving(at), None)?);
                }
                Ok(last)
            }
        }
    }

    /// Returns the first hit in `at < position <= to`.
    fn next_in(
        &self,
        at: Position,
        to: Position,
        index: &Index,
        cancel: &Cancel,
    ) -> Result<Option<Position>, QueryError> {
        let mut found = None;
        self.stream(
            SearchExtent {
                thread: None,
                from: at,
                limit: usize::MAX,
            },
            index,
            cancel,
            |searched| {
                let positions = searched.hits.iter().map(|hit| hit.position);
                found = positions
                    .filter(|position| *position > at && *position <= to)
                    .min();
                if found.is_some() || searched.to >= to {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        )?;
        Ok(found)
    }

    /// Searches windows of growing width before the position: text searches only run forward.
    fn last_by_windows(
        &self,
        at: Position,
        index: &Index,
        cancel: &Cancel,
    ) -> Result<Option<Position>, QueryError> {
        let (mut end, mut width) = (at.0, WINDOW);
        while end > 0 {
            let from = Position(end.saturating_sub(width));
            let mut last = None;
            self.stream(
                SearchExtent {
                    thread: None,
                    from,
                    limit: usize::MAX,
                },
                index,
                cancel,
                |searched| {
                    let positions = searched.hits.iter().map(|hit| hit.position);
                    last = last.max(
                        positions
                            .filter(|position| position.0 <= end && *position < at)
                            .max(),
                    );
                    if searched.to.0 >= end {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                },
            )?;
            if last.is_some() {
                return Ok(last);
            }
            (end, width) = (from.0, width.saturating_mul(2).min(WIDEST));
        }
        Ok(None)
    }
}

/// Returns the first hit of a backward walk, restricted to accesses of a value if one is wanted.
fn last_of(
    mut walk: HitCursor<'_>,
    wanted: Option<Number>,
) -> Result<Option<Position>, QueryError> {
    loop {
        match walk.next_hit()? {
            HitOutcome::Hit(hit) if has_value(&hit, wanted) => return Ok(Some(hit.position)),
            HitOutcome::Nothing => return Ok(None),
            HitOutcome::Hit(_) | HitOutcome::Initial(_) => {}
        }
    }
}
