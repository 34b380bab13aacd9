//! Finds the hit next to a position in either direction.

use std::ops::ControlFlow;

use stepback_index::{Cancel, Index, Number, QueryError};
use stepback_parsers::Position;

use super::question::Search;
use super::stream::{SearchExtent, has_value};
use crate::analysis::walk::{HitCursor, HitOutcome, HitQuery, Subject};
use stepback_index::Direction;

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
