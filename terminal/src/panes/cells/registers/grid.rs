//! Where registers stand: in columns, or one below the other by their lanes.

use stepback_machine::LaneFormat;

use super::cell::Reading;
use crate::clean::width;
use crate::command::Toward;
use stepback_debugger::analysis::register_part::Lane;
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell, lane_characters};

/// Between two columns, and between two lanes.
const GAP: u16 = 2;
/// The signs before and behind a value.
const SIGNS: u16 = 2;

/// The rows of a pane.
#[derive(Debug, Default)]
pub struct Grid {
    /// From the top.
    pub rows: Vec<GridRow>,
    /// How many of them the group itself has; the others are behind a title.
    pub own_rows: usize,
}

/// A row.
#[derive(Debug, Default)]
pub struct GridRow {
    /// Which lane the row begins with.
    pub label: Option<String>,
    /// Registers, or lanes of one.
    pub spots: Vec<Spot>,
}

/// Where a register or a lane stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Of which register or lane.
    pub name: String,
    /// Its first column.
    pub x: u16,
    /// How many columns it has.
    pub cells: u16,
    /// What is shown of it.
    pub shown: Shown,
}

/// What a spot shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The name, and from so many columns on the value.
    Register(u16),
    /// The name alone: its lanes stand beside it.
    Name,
    /// The value alone.
    Lane,
    /// The title of further registers, which stand below it when it is open.
    Title,
}

/// What is arranged, and in how many columns.
#[derive(Clone, Copy)]
struct Layout<'a> {
    board: &'a RegisterBoard,
    reading: Reading,
    columns: u16,
}

impl Grid {
    /// The grid in a pane of so many columns, where the sections with these titles are open.
    pub fn new(board: &RegisterBoard, reading: Reading, columns: u16, open: &[String]) -> Self {
        let mut grid = Self::default();
        let layout = Layout { board, reading, columns };
        // Program counter and status stand behind the others, as in a dump.
        let own: Vec<&RegisterCell> = board.core.iter().chain(&board.pc).chain(&board.psr).collect();
        for run in own.chunk_by(|one, other| has_lanes(one, reading) == has_lanes(other, reading)) {
            match reading.lanes.filter(|_| run.first().is_some_and(|first| has_lanes(first, reading))) {
                Some(format) => run.iter().for_each(|cell| grid.add_lanes(cell, format, columns)),
                None => grid.add_columns(run, layout),
            }
        }
        grid.own_rows = grid.rows.len();
        for section in &board.groups {
            let name = section.title.to_owned();
            let title = Spot { name, x: 0, cells: columns, shown: Shown::Title };
            grid.rows.push(GridRow { label: None, spots: vec![title] });
            if open.iter().any(|open| open == section.title) {
                let cells: Vec<&RegisterCell> = section.cells.iter().collect();
                grid.add_columns(&cells, layout);
            }
        }
        grid
    }

    /// Down the first column, then down the others.
    fn add_columns(&mut self, run: &[&RegisterCell], layout: Layout<'_>) {
        let Layout { board, reading, columns } = layout;
        let name = run.iter().map(|cell| count(reading.name(cell))).max().unwrap_or(0).max(3);
        let value = run.iter().map(|cell| reading.characters(cell, board)).max().unwrap_or(0);
        let needed = name.saturating_add(value).saturating_add(SIGNS);
        let fitting = usize::from((columns.saturating_add(GAP) / needed.saturating_add(GAP)).max(1));
        let rows = run.len().div_ceil(fitting).max(1);
        let side_by_side = u16::try_from(run.len().div_ceil(rows).max(1)).unwrap_or(1);
        let apart = (columns / side_by_side).clamp(1, needed.saturating_add(2 * GAP).max(1));
        for row in 0..rows {
            let cells = run.iter().skip(row).step_by(rows);
            let spots = (0..).map(|column: u16| column.saturating_mul(apart)).zip(cells).map(|(x, cell)| Spot {
                name: cell.name.clone(),
                x,
                cells: needed.min(columns.saturating_sub(x)),
                shown: Shown::Register(name),
            });
            self.rows.push(GridRow { label: None, spots: spots.collect() });
        }
    }

    /// As many lanes side by side as fit, a power of two, so that numbers of lanes are easily told.
    fn add_lanes(&mut self, cell: &RegisterCell, format: LaneFormat, columns: u16) {
        let left = count(&cell.name).max(3).saturating_add(SIGNS);
        let wide = u16::try_from(lane_characters(format)).unwrap_or(u16::MAX).saturating_add(SIGNS);
        let fitting = (columns.saturating_sub(left) / wide.saturating_add(GAP)).max(1);
        let per_row = if fitting.is_power_of_two() { fitting } else { fitting.next_power_of_two() / 2 };
        let lanes = cell.value.0.len() / usize::from(format.size_bytes.max(1));
        let lanes = u16::try_from(lanes).unwrap_or(u16::MAX);
        for first in (0..lanes).step_by(usize::from(per_row)) {
            let head = Spot { name: cell.name.clone(), x: 0, cells: left - SIGNS, shown: Shown::Name };
            let label = (first > 0).then(|| format!("[{first}]"));
            let spots = (first..lanes.min(first.saturating_add(per_row))).map(|index| Spot {
                name: format!("{}{}", cell.name, Lane { size_bytes: format.size_bytes, index }),
                x: left.saturating_add((index - first).saturating_mul(wide.saturating_add(GAP))),
                cells: wide,
                shown: Shown::Lane,
            });
            let spots = (first == 0).then_some(head).into_iter().chain(spots).collect();
            self.rows.push(GridRow { label, spots });
        }
    }

    /// Where a register or lane stands: the row, and the place in it.
    pub fn place_of(&self, name: &str) -> Option<(usize, &Spot)> {
        let spot = |row: &'_ GridRow| row.spots.iter().position(|spot| spot.name == name);
        let (row, place) = self.rows.iter().enumerate().find_map(|(row, spots)| Some((row, spot(spots)?)))?;
        self.rows.get(row)?.spots.get(place).map(|spot| (row, spot))
    }

    /// The spot at a column of a row.
    pub fn at(&self, row: usize, x: u16) -> Option<&Spot> {
        self.rows.get(row)?.spots.iter().find(|spot| (spot.x..spot.x.saturating_add(spot.cells)).contains(&x))
    }

    /// The first register.
    pub fn first(&self) -> Option<&Spot> {
        self.rows.iter().find_map(|row| row.spots.first())
    }

    /// Where the cursor goes from a register.
    pub fn moved(&self, from: &str, toward: Toward, page: usize) -> Option<&Spot> {
        let (row, spot) = self.place_of(from)?;
        let last = self.rows.len().saturating_sub(1);
        let above = |from: usize| (0..from).rev();
        let below = |from: usize| from..self.rows.len();
        let x = spot.x;
        match toward {
            Toward::Up => self.nearest(above(row), x),
            Toward::Down => self.nearest(below(row + 1), x),
            Toward::Left => self.rows.get(row)?.spots.iter().rev().find(|spot| spot.x < x),
            Toward::Right => self.rows.get(row)?.spots.iter().find(|spot| spot.x > x),
            Toward::PageUp => self.nearest(above(row.saturating_sub(page) + 1), x).or_else(|| self.first()),
            Toward::PageDown => self.nearest(below((row + page).min(last)), x).or_else(|| self.nearest(above(last), x)),
            Toward::First => self.first(),
            Toward::Last => self.rows.iter().rev().find_map(|row| row.spots.last()),
        }
    }

    /// In the first of these rows that has registers: the one that is nearest to a column.
    fn nearest(&self, mut rows: impl Iterator<Item = usize>, x: u16) -> Option<&Spot> {
        rows.find_map(|row| self.rows.get(row)?.spots.iter().min_by_key(|spot| spot.x.abs_diff(x)))
    }
}

/// Vectors are read in lanes; predicates, status and control registers are not. One that nothing states is a word.
fn has_lanes(cell: &RegisterCell, reading: Reading) -> bool {
    let digits = cell.name.get(1..).unwrap_or_default();
    let is_numbered = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_vector = is_numbered && cell.name.starts_with(['v', 'q', 'z']);
    let lane = reading.lanes.map_or(usize::MAX, |format| usize::from(format.size_bytes));
    is_vector && cell.value.0.len() > lane && !cell.value.is_unknown()
}

fn count(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}
