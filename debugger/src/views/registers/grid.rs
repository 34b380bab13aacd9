//! Registers in rows: side by side in columns, or one below the other by their lanes.

use stepback_machine::display::LaneFormat;

use super::super::view::CursorDirection;
use crate::analysis::register_part::RegisterLane;
use crate::model::register_format::lane_count;
use crate::model::registers::{RegisterCell, RegisterSection};

/// Registers that are laid out together.
#[derive(Debug)]
pub enum RegisterBlock<'a> {
    /// Registers in columns: down the first column, then down the others.
    Columns(Vec<&'a RegisterCell>),
    Lanes(&'a RegisterCell, LaneFormat),
    /// The title of further registers.
    Title(&'a RegisterSection),
}

/// Arrangement of registers on a screen.
pub trait GridLayout {
    /// Measures that all rows of a block share.
    type Row: Copy;

    /// True if the cursor stops at the titles of further registers.
    const STOPS_AT_TITLES: bool;

    /// Returns the format of the lanes by which a register is listed; none if it is listed as a
    /// whole.
    fn lanes(&self, cell: &RegisterCell) -> Option<LaneFormat>;

    /// Returns the measures of the rows of a block.
    fn measure(&self, block: &RegisterBlock<'_>) -> Self::Row;

    /// Returns the maximum number of registers or lanes in a row.
    fn count(&self, row: &Self::Row) -> usize;

    /// Returns the horizontal place of a register in its row, counted from 0. Rows by lanes begin
    /// with the name of the register, or with room for it.
    fn x(&self, row: &Self::Row, place: usize) -> u16;
}

/// Rows of registers with the measures of a screen.
#[derive(Clone, Debug)]
pub struct RegisterGrid<R> {
    /// The rows from the top.
    pub rows: Vec<GridRow<R>>,
    /// Number of rows above the titles of further registers.
    pub own_rows: usize,
}

/// A row of registers.
#[derive(Clone, Debug)]
pub struct GridRow<R> {
    /// Content of the row.
    pub kind: RowKind,
    pub measures: R,
    /// Places where the cursor can stop, from the left.
    pub spots: Vec<CellSpot>,
}

/// Content of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Registers side by side.
    Cells,
    /// Lanes of a register, from the lane with this index on.
    Lanes(u16),
    /// The title of the section with this index.
    Title(usize),
}

/// A register, a lane or a title in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSpot {
    /// Name of the register or lane, or text of the title.
    pub name: String,
    /// Horizontal place.
    pub x: u16,
}

impl<R> Default for RegisterGrid<R> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            own_rows: 0,
        }
    }
}

impl<R: Copy> RegisterGrid<R> {
    /// Lays out `own` registers, and below them the sections with their titles. Only sections in
    /// `open` show registers.
    pub(super) fn new<L: GridLayout<Row = R>>(
        own: &[&RegisterCell],
        sections: &[RegisterSection],
        open: &[String],
        layout: &L,
    ) -> Self {
        let mut grid = Self::default();
        for run in
            own.chunk_by(|one, other| layout.lanes(one).is_some() == layout.lanes(other).is_some())
        {
            match run.first().and_then(|first| layout.lanes(first)) {
                Some(format) => run
                    .iter()
                    .for_each(|cell| grid.add_lanes(cell, format, layout)),
                None => grid.add_columns(run.to_vec(), layout),
            }
        }
        grid.own_rows = grid.rows.len();
        for (number, section) in sections.iter().enumerate() {
            let measures = layout.measure(&RegisterBlock::Title(section));
            let spot = CellSpot {
                name: section.title.to_owned(),
                x: layout.x(&measures, 0),
            };
            let spots = L::STOPS_AT_TITLES.then_some(spot).into_iter().collect();
            grid.rows.push(GridRow {
                kind: RowKind::Title(number),
                measures,
                spots,
            });
            if open.iter().any(|open| open == section.title) {
                grid.add_columns(section.cells.iter().collect(), layout);
            }
        }
        grid
    }

    fn add_columns<L: GridLayout<Row = R>>(&mut self, cells: Vec<&RegisterCell>, layout: &L) {
        let block = RegisterBlock::Columns(cells);
        let measures = layout.measure(&block);
        let RegisterBlock::Columns(cells) = block else {
            return;
        };
        let rows = cells.len().div_ceil(layout.count(&measures).max(1));
        for row in 0..rows {
            let spot = |(place, cell): (usize, &&RegisterCell)| CellSpot {
                name: cell.name.clone(),
                x: layout.x(&measures, place),
            };
            let spots = cells
                .iter()
                .skip(row)
                .step_by(rows)
                .enumerate()
                .map(spot)
                .collect();
            self.rows.push(GridRow {
                kind: RowKind::Cells,
                measures,
                spots,
            });
        }
    }

    /// Adds the rows of a register by its lanes. An unknown register has one row without lanes.
    fn add_lanes<L: GridLayout<Row = R>>(
        &mut self,
        cell: &RegisterCell,
        format: LaneFormat,
        layout: &L,
    ) {
        let measures = layout.measure(&RegisterBlock::Lanes(cell, format));
        let name = CellSpot {
            name: cell.name.clone(),
            x: layout.x(&measures, 0),
        };
        if cell.value.is_unknown() {
            return self.rows.push(GridRow {
                kind: RowKind::Lanes(0),
                measures,
                spots: vec![name],
            });
        }
        let lanes: Vec<u16> = (0..lane_count(cell, format)).collect();
        for row in lanes.chunks(layout.count(&measures).max(1)) {
            let first = row.first().copied().unwrap_or(0);
            let spots = row.iter().zip(1..).map(|(index, place)| CellSpot {
                name: format!(
                    "{}{}",
                    cell.name,
                    RegisterLane {
                        size_bytes: format.size_bytes,
                        index: *index
                    }
                ),
                x: layout.x(&measures, place),
            });
            let spots = (first == 0)
                .then(|| name.clone())
                .into_iter()
                .chain(spots)
                .collect();
            self.rows.push(GridRow {
                kind: RowKind::Lanes(first),
                measures,
                spots,
            });
        }
    }
}

impl<R> RegisterGrid<R> {
    /// Returns the row of a register, lane or title.
    pub fn row_of(&self, name: &str) -> Option<usize> {
        self.rows
            .iter()
            .position(|row| row.spots.iter().any(|spot| spot.name == name))
    }

    /// Returns the first spot.
    pub fn first(&self) -> Option<&CellSpot> {
        self.rows.iter().find_map(|row| row.spots.first())
    }

    /// Returns the spot that a cursor on `from` moves to. A cursor on no spot moves to the first
    /// one.
    pub(super) fn moved(
        &self,
        from: Option<&str>,
        toward: CursorDirection,
        page: usize,
    ) -> Option<&CellSpot> {
        let Some(row) = from.and_then(|name| self.row_of(name)) else {
            return self.first();
        };
        let spots = &self.rows.get(row)?.spots;
        let x = spots
            .iter()
            .find(|spot| Some(spot.name.as_str()) == from)?
            .x;
        let end = self.rows.len();
        let above = |end: usize| (0..end).rev();
        match toward {
            CursorDirection::Up => self.nearest(above(row), x),
            CursorDirection::Down => self.nearest(row + 1..end, x),
            CursorDirection::Left => spots.iter().rev().find(|spot| spot.x < x),
            CursorDirection::Right => spots.iter().find(|spot| spot.x > x),
            CursorDirection::PageUp => self
                .nearest(above((row + 1).saturating_sub(page)), x)
                .or_else(|| self.nearest(0..row, x)),
            CursorDirection::PageDown => {
                let below = self.nearest(row.saturating_add(page)..end, x);
                below.or_else(|| self.nearest((row + 1..end).rev(), x))
            }
            CursorDirection::First => self.first(),
            CursorDirection::Last => self.rows.iter().rev().find_map(|row| row.spots.last()),
        }
    }

    /// Returns the spot that is nearest to a horizontal place, in the first of these rows that has
    /// spots.
    fn nearest(&self, mut rows: impl Iterator<Item = usize>, x: u16) -> Option<&CellSpot> {
        rows.find_map(|row| {
            self.rows
                .get(row)?
                .spots
                .iter()
                .min_by_key(|spot| spot.x.abs_diff(x))
        })
    }
}

/// Returns the number of lanes in a row with room for `fitting`: a power of two, so that lanes are
/// easily counted.
pub fn lanes_per_row(fitting: u16) -> usize {
    match fitting.max(1) {
        fitting if fitting.is_power_of_two() => fitting.into(),
        fitting => (fitting.next_power_of_two() / 2).into(),
    }
}
