//! Columns and lanes of a register pane, by its width.

use stepback_machine::LaneFormat;

use super::cell::characters;
use crate::clean::width;
use stepback_debugger::model::register_format::RegisterReading;
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell, lane_characters};
use stepback_debugger::views::{CellSpot, GridLayout, GridRow, RegisterBlock, lanes_per_row};

/// Space between two columns and between two lanes, in cells.
const GAP: u16 = 2;
/// Number of signs around a value.
const SIGNS: u16 = 2;

/// Registers with the reading and the width of a pane.
#[derive(Clone, Copy)]
pub struct RegisterLayout<'a> {
    pub board: &'a RegisterBoard,
    pub reading: RegisterReading,
    pub columns: u16,
}

/// Screen columns of the spots of a row.
#[derive(Clone, Copy, Debug)]
pub enum SpotColumns {
    /// Registers: distance between columns, width of one, and offset of the value.
    Cells {
        count: usize,
        apart: u16,
        needed: u16,
        value: u16,
    },
    /// Lanes: offset of the first lane, and width of one.
    Lanes { count: usize, left: u16, wide: u16 },
    /// Title of a group.
    Title,
}

impl GridLayout for RegisterLayout<'_> {
    type Row = SpotColumns;

    const STOPS_AT_TITLES: bool = true;

    /// Returns the lane format; none for an unknown register, which is shown as a word.
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
    /// Returns the number of columns of a spot.
    pub fn of(self, spot: &CellSpot, columns: u16) -> u16 {
        match self {
            Self::Cells { needed, .. } => needed.min(columns.saturating_sub(spot.x)),
            Self::Lanes { left, .. } if spot.x == 0 => left - SIGNS,
            Self::Lanes { wide, .. } => wide,
            Self::Title => columns,
        }
    }
}

/// Returns the spot at a column of a row.
pub fn spot_at(row: &GridRow<SpotColumns>, x: u16, columns: u16) -> Option<&CellSpot> {
    let is_at = |spot: &&CellSpot| {
        (spot.x..spot.x.saturating_add(row.measures.of(spot, columns))).contains(&x)
    };
    row.spots.iter().find(is_at)
}

fn count(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}
