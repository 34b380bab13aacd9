//! The columns and lanes that a pane has room for.

use stepback_machine::LaneFormat;

use super::cell::characters;
use crate::clean::width;
use stepback_debugger::model::register_format::RegisterReading;
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell, lane_characters};
use stepback_debugger::views::{CellSpot, GridLayout, GridRow, RegisterBlock, lanes_per_row};

/// Between two columns, and between two lanes.
const GAP: u16 = 2;
/// The signs before and behind a value.
const SIGNS: u16 = 2;

/// Registers with the reading and layout of a pane.
#[derive(Clone, Copy)]
pub struct RegisterLayout<'a> {
    pub board: &'a RegisterBoard,
    pub reading: RegisterReading,
    pub columns: u16,
}

/// Columns on the screen that the spots of a row have.
#[derive(Clone, Copy, Debug)]
pub enum SpotColumns {
    /// Registers: from one to the next, all of one, and from its name to its value.
    Cells {
        count: usize,
        apart: u16,
        needed: u16,
        value: u16,
    },
    /// Lanes: up to the first, and all of one.
    Lanes { count: usize, left: u16, wide: u16 },
    /// A title.
    Title,
}

impl GridLayout for RegisterLayout<'_> {
    type Row = SpotColumns;

    const STOPS_AT_TITLES: bool = true;

    /// A register that nothing states is a word, not lanes.
    fn lanes(&self, cell: &RegisterCell) -> Option<LaneFormat> {
        self.reading
            .lanes_of(cell)
            .filter(|_| !cell.value.is_unknown())
    }

    fn measure(&self, block: &RegisterBlock<'_>) -> SpotColumns {
        match block {
            RegisterBlock::Columns(cells) => self.cells(cells),
            RegisterBlock::Lanes(cell, format) => {
                let left = count(&cell.name).max(3).saturating_add(SIGNS);
                let wide = u16::try_from(lane_characters(*format))
                    .unwrap_or(u16::MAX)
                    .saturating_add(SIGNS);
                let count =
                    lanes_per_row(self.columns.saturating_sub(left) / wide.saturating_add(GAP));
                SpotColumns::Lanes { count, left, wide }
            }
            RegisterBlock::Title(_) => SpotColumns::Title,
        }
    }

    fn count(&self, row: &SpotColumns) -> usize {
        match row {
            SpotColumns::Cells { count, .. } | SpotColumns::Lanes { count, .. } => *count,
            SpotColumns::Title => 1,
        }
    }

    fn x(&self, row: &SpotColumns, place: usize) -> u16 {
        let place = u16::try_from(place).unwrap_or(u16::MAX);
        match (row, place) {
            (SpotColumns::Cells { apart, .. }, _) => place.saturating_mul(*apart),
            (SpotColumns::Lanes { .. }, 0) | (SpotColumns::Title, _) => 0,
            (SpotColumns::Lanes { left, wide, .. }, _) => {
                left.saturating_add((place - 1).saturating_mul(wide.saturating_add(GAP)))
            }
        }
    }
}

impl RegisterLayout<'_> {
    fn cells(&self, cells: &[&RegisterCell]) -> SpotColumns {
        let (board, reading, columns) = (self.board, self.reading, self.columns);
        let name = cells
            .iter()
            .map(|cell| count(reading.shown_as.name(cell)))
            .max()
            .unwrap_or(0)
            .max(3);
        let value = cells
            .iter()
            .map(|cell| characters(cell, reading, board))
            .max()
            .unwrap_or(0);
        let needed = name.saturating_add(value).saturating_add(SIGNS);
        let fitting =
            usize::from((columns.saturating_add(GAP) / needed.saturating_add(GAP)).max(1));
        let rows = cells.len().div_ceil(fitting).max(1);
        let side_by_side = u16::try_from(cells.len().div_ceil(rows).max(1)).unwrap_or(1);
        let apart = (columns / side_by_side).clamp(1, needed.saturating_add(2 * GAP).max(1));
        SpotColumns::Cells {
            count: fitting,
            apart,
            needed,
            value: name,
        }
    }
}

impl SpotColumns {
    /// Number of columns that a spot takes.
    pub fn of(self, spot: &CellSpot, columns: u16) -> u16 {
        match self {
            Self::Cells { needed, .. } => needed.min(columns.saturating_sub(spot.x)),
            Self::Lanes { left, .. } if spot.x == 0 => left - SIGNS,
            Self::Lanes { wide, .. } => wide,
            Self::Title => columns,
        }
    }
}

/// The spot at a column of a row.
pub fn spot_at(row: &GridRow<SpotColumns>, x: u16, columns: u16) -> Option<&CellSpot> {
    let is_at = |spot: &&CellSpot| {
        (spot.x..spot.x.saturating_add(row.measures.of(spot, columns))).contains(&x)
    };
    row.spots.iter().find(is_at)
}

fn count(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}
