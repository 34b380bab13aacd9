//! Results of a search, possibly still incomplete.

use std::ops::RangeInclusive;
use std::sync::Arc;

use stepback_parsers::Position;

use crate::action::Direction;
use crate::analysis::search::meaning::ParsedSearch;
use crate::model::spots::{Spot, is_any_in, spots};
use crate::model::table::Table;

/// State of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The search is still running.
    UnderWay,
    /// The whole range was searched.
    Done,
    /// The search reached its limit of hits.
    Limit,
    /// The user stopped the search.
    Stopped,
}

/// Results of a search up to now.
#[derive(Clone, Debug)]
pub struct SearchResults {
    /// Parsed form of the search text.
    pub meaning: Arc<ParsedSearch>,
    /// Hits, in trace order.
    pub table: Arc<Table>,
    /// Positions at which hits are visible, ascending and unique.
    pub positions: Arc<[u64]>,
    /// Start of the searched range: hits are visible after it.
    pub from: Position,
    /// End of the searched range; a hit may be visible exactly here.
    pub to: Position,
    /// Position up to which all hits are known.
    pub searched: Position,
    pub end: SearchEnd,
}

/// Answer of a list of hits to a query for the next hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitLookup {
    /// Position of the next hit.
    At(Position),
    /// No further hit exists.
    None,
    /// The search has not covered that part of the trace.
    Unknown,
}

impl SearchResults {
    /// Returns the number of hits.
    pub fn count(&self) -> u64 {
        self.table.rows.len() as u64
    }

    /// Returns the nearest hit in one direction, if the list covers that part of the trace.
    pub fn neighbour(&self, way: Direction, at: Position) -> HitLookup {
        let place = self.positions.partition_point(|position| *position <= at.0);
        let is_whole = self.end == SearchEnd::Done;
        let at_place = |place: usize| {
            self.positions
                .get(place)
                .map(|position| HitLookup::At(Position(*position)))
        };
        match way {
            Direction::Forward if at >= self.from || is_whole => {
                at_place(place).unwrap_or(if is_whole {
                    HitLookup::None
                } else {
                    HitLookup::Unknown
                })
            }
            Direction::Back if at <= self.searched || is_whole => {
                let before = self.positions.partition_point(|position| *position < at.0);
                before
                    .checked_sub(1)
                    .and_then(at_place)
                    .unwrap_or(HitLookup::None)
            }
            Direction::Forward | Direction::Back => HitLookup::Unknown,
        }
    }

    /// Returns true if a hit is visible in a range of positions. O(log n).
    pub fn is_any_in(&self, positions: RangeInclusive<u64>) -> bool {
        is_any_in(&self.positions, positions)
    }

    /// Maps the hits in a range of positions to distinct spots of a strip. `spot_of` must not
    /// decrease. Cost: grows with the number of spots, not of hits.
    pub fn spots(&self, positions: RangeInclusive<u64>, spot_of: impl Fn(u64) -> u32) -> Vec<Spot> {
        spots(&self.positions, positions, spot_of)
    }

    /// Returns the results restricted to hits up to a position; the rest must be searched again.
    #[must_use]
    pub fn up_to(&self, position: Position) -> Self {
        let is_kept =
            |row: &&crate::model::table::TableRow| row.position.is_none_or(|at| at <= position);
        let rows = self.table.rows.iter().filter(is_kept).cloned().collect();
        let positions = self
            .positions
            .iter()
            .copied()
            .take_while(|at| *at <= position.0)
            .collect();
        Self {
            table: Arc::new(Table {
                rows,
                ..Table::clone(&self.table)
            }),
            positions,
            searched: self.searched.min(position),
            ..self.clone()
        }
    }
}
