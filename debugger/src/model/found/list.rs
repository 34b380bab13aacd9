//! The hits of a search as far as they are known.

use std::ops::RangeInclusive;
use std::sync::Arc;

use stepback_parsers::Position;

use crate::action::Direction;
use crate::analysis::search::meaning::ParsedSearch;
use crate::model::spots::{Spot, is_any_in, spots};
use crate::model::table::Table;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// It goes on.
    UnderWay,
    /// Everything that it was to look through is looked through.
    Done,
    /// It found as many as were wanted.
    Limit,
    /// The user ended it.
    Stopped,
}

/// What a search has found so far.
#[derive(Clone, Debug)]
pub struct SearchResults {
    /// What the text was read as.
    pub meaning: Arc<ParsedSearch>,
    /// The hits, in the order of the trace.
    pub table: Arc<Table>,
    /// The positions at which they show, ascending, each once.
    pub positions: Arc<[u64]>,
    /// What was to be looked through: hits show behind the first and at most at the last.
    pub from: Position,
    /// The last position that counts.
    pub to: Position,
    /// All hits up to here are known.
    pub searched: Position,
    /// Whether it goes on.
    pub end: SearchEnd,
}

/// What a list of hits says of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitLookup {
    /// There it is.
    At(Position),
    /// There is none.
    None,
    /// That part of the trace was not looked through.
    Unknown,
}

impl SearchResults {
    /// How many hits there are.
    pub fn count(&self) -> u64 {
        self.table.rows.len() as u64
    }

    /// The hit that is nearest to a position, as far as the list tells.
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

    /// Whether a hit shows at any of some positions. O(log n).
    pub fn is_any_in(&self, positions: RangeInclusive<u64>) -> bool {
        is_any_in(&self.positions, positions)
    }

    /// The spots of a strip that hits of a range of positions are on, each once. A spot is never less for a later position.
    /// Cost: what the spots take, however many hits there are.
    pub fn spots(&self, positions: RangeInclusive<u64>, spot_of: impl Fn(u64) -> u32) -> Vec<Spot> {
        spots(&self.positions, positions, spot_of)
    }

    /// The same with the hits alone that show at most at a position: the rest is looked for again.
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
