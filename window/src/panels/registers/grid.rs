//! The registers in columns, and the groups below.

use egui::{Rect, Ui, pos2, vec2};
use stepback_machine::LaneFormat;

use super::cell::{CellPaint, CellView, cell_ui};
use super::frame::{BoardView, Touched};
use super::lanes::{LaneLayout, LaneRow};
use crate::panels::asked::Asked;
use crate::panels::keys::PanelKey;
use crate::panels::pen::{ADVANCE, Pen};
use crate::panels::row::button_response;
use crate::theme::{icon, icons, semi};
use stepback_debugger::messages::say;
use stepback_debugger::model::register_format::ShownAs;
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell, lane_characters};
use stepback_debugger::model::text::thousands;

/// Left of the first column.
const LEFT: f32 = 8.0;
/// From the name of a register to its value, for names of up to three letters.
const VALUE: f32 = 32.0;
/// Room between four columns.
const APART: f32 = 14.0;

/// The rows of the grid.
#[derive(Debug)]
pub struct Grid {
    /// From the top.
    pub rows: Vec<GridRow>,
    core_rows: usize,
    /// Where values have several lanes.
    layout: Option<LaneLayout>,
    shown_as: ShownAs,
}

/// A row of the grid.
#[derive(Debug)]
pub enum GridRow {
    /// Registers side by side.
    Cells {
        /// Their names.
        names: Vec<String>,
        /// Width of a column.
        width: f32,
        /// From the left of a column to the value.
        value: f32,
    },
    /// Lanes of one register.
    Lanes {
        /// Its name, then those of the lanes.
        names: Vec<String>,
        /// The register.
        register: String,
        /// The first lane of the row.
        first: u16,
    },
    /// The title of a group.
    Title {
        /// What it is.
        title: String,
        /// How many registers.
        count: usize,
        /// They are shown.
        is_open: bool,
    },
}

/// The registers that are shown, and how they are arranged.
pub struct GridView<'a> {
    pub pen: &'a Pen<'a>,
    pub board: &'a RegisterBoard,
    pub grid: &'a Grid,
}

/// How values are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// In lanes, for groups that have some.
    pub lanes: Option<LaneFormat>,
    /// All others.
    pub shown_as: ShownAs,
}

/// The title of a group of registers.
pub struct GroupTitle<'a> {
    pub title: &'a str,
    pub count: usize,
    pub is_open: bool,
}

/// A row and where it is drawn.
pub struct RowAt<'a> {
    pub rect: Rect,
    pub row: &'a GridRow,
}

impl Grid {
    /// The grid in a panel of a width.
    pub fn new(board: &RegisterBoard, open_groups: &[String], reading: Reading, width: f32) -> Self {
        let layout = reading.lanes.map(|format| LaneLayout::new(format, &board.core, width));
        let mut grid = Self { rows: Vec::new(), core_rows: 0, layout, shown_as: reading.shown_as };
        grid.add_core(&board.core, width);
        grid.core_rows = grid.rows.len();
        for group in &board.groups {
            let is_open = open_groups.iter().any(|open| open == group.title);
            let title = group.title.to_owned();
            grid.rows.push(GridRow::Title { title, count: group.cells.len(), is_open });
            if is_open {
                grid.add_cells(&group.cells, width);
            }
        }
        grid
    }

    /// Rows of the general registers.
    pub fn core_rows(&self) -> usize {
        self.core_rows
    }

    /// Registers of several lanes have rows of their own; runs of others stand in columns.
    fn add_core(&mut self, cells: &[RegisterCell], width: f32) {
        let lanes = self.layout;
        let is_wide = |cell: &RegisterCell| lanes.is_some_and(|lanes| is_vector(&cell.name) && lanes.count(cell) > 1);
        for run in cells.chunk_by(|one, other| is_wide(one) == is_wide(other)) {
            match lanes {
                Some(lanes) if run.first().is_some_and(is_wide) => {
                    run.iter().for_each(|cell| self.add_lanes(cell, lanes));
                }
                _ => self.add_cells(run, width),
            }
        }
    }

    fn add_lanes(&mut self, cell: &RegisterCell, lanes: LaneLayout) {
        // A register that nothing states is one word, however many lanes it has.
        let count = if cell.value.is_unknown() { 1 } else { lanes.count(cell) };
        for first in (0..count).step_by(usize::from(lanes.per_row.max(1))) {
            let shown = first..count.min(first.saturating_add(lanes.per_row));
            let whole = (first == 0).then(|| cell.name.clone());
            let parts = shown.filter(|_| !cell.value.is_unknown()).map(|index| lanes.name(&cell.name, index));
            let names = whole.into_iter().chain(parts).collect();
            self.rows.push(GridRow::Lanes { names, register: cell.name.clone(), first });
        }
    }

    /// Down the first column, then down the others.
    fn add_cells(&mut self, cells: &[RegisterCell], width: f32) {
        let longest = |length: fn(&RegisterCell) -> usize| cells.iter().map(length).max().unwrap_or(0) as f32 * ADVANCE;
        let value = (longest(|cell| cell.name.len()) + 8.0).max(VALUE);
        let lane = self.layout.map_or(0, |lanes| lane_characters(lanes.format)) as f32 * ADVANCE;
        let digits = cells.iter().map(|cell| self.shown_as.characters(cell)).max().unwrap_or(0) as f32 * ADVANCE;
        let needed = value + digits.max(lane) + 14.0;
        let fitting = |apart: f32| (((width - LEFT) / (needed + apart)) as usize).clamp(1, 4);
        // The general registers stand in two columns of sixteen, or four of eight where there is much room.
        let is_general = self.layout.is_none() && cells.len() <= 34;
        let columns = if is_general && fitting(APART) < 4 { fitting(0.0).min(2) } else { fitting(0.0) };
        let rows = cells.len().div_ceil(columns);
        for row in 0..rows {
            let names = (0..columns).filter_map(|column| cells.get(column * rows + row)).map(|cell| cell.name.clone());
            self.rows.push(GridRow::Cells { names: names.collect(), width: (width - LEFT) / columns as f32, value });
        }
    }

    /// Where the cursor goes from a register by a key: the row and the register there.
    pub fn moved(&self, from: Option<&str>, key: PanelKey) -> Option<(usize, String)> {
        let place = from.and_then(|name| {
            self.rows
                .iter()
                .enumerate()
                .find_map(|(row, cells)| Some((row, cells.names().iter().position(|other| other == name)?)))
        });
        let Some((row, column)) = place else {
            return self.nearest(0..self.rows.len(), 0);
        };
        match key {
            PanelKey::Up => self.nearest((0..row).rev(), column),
            PanelKey::Down => self.nearest(row + 1..self.rows.len(), column),
            PanelKey::Left => self.nearest(row..row + 1, column.checked_sub(1)?),
            PanelKey::Right => self.at(row, column + 1),
            PanelKey::PageUp => {
                self.nearest((0..row.saturating_sub(7)).rev(), column).or_else(|| self.nearest(0..row, column))
            }
            PanelKey::PageDown => self
                .nearest(row + 8..self.rows.len(), column)
                .or_else(|| self.nearest((row + 1..self.rows.len()).rev(), column)),
            PanelKey::First => self.nearest(0..self.rows.len(), column),
            PanelKey::Last => self.nearest((0..self.rows.len()).rev(), column),
            _ => None,
        }
    }

    /// The row of a register.
    pub fn row_of(&self, name: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.names().iter().any(|other| other == name))
    }

    /// The first of these rows that has registers.
    fn nearest(&self, mut rows: impl Iterator<Item = usize>, column: usize) -> Option<(usize, String)> {
        rows.find_map(|row| self.at(row, column).or_else(|| self.at(row, 0)))
    }

    fn at(&self, row: usize, column: usize) -> Option<(usize, String)> {
        self.rows.get(row)?.names().get(column).map(|name| (row, name.clone()))
    }
}

impl GridRow {
    fn names(&self) -> &[String] {
        match self {
            Self::Cells { names, .. } | Self::Lanes { names, .. } => names,
            Self::Title { .. } => &[],
        }
    }
}

/// Draws a row.
pub fn row_ui(
    ui: &mut Ui,
    RowAt { rect, row }: RowAt<'_>,
    GridView { pen, board, grid }: GridView<'_>,
    view: CellView<'_>,
    Asked { touched, out }: Asked<'_, Touched>,
) {
    match row {
        GridRow::Title { title, count, is_open } => {
            title_ui(ui, rect, pen, GroupTitle { title, count: *count, is_open: *is_open }, touched)
        }
        GridRow::Lanes { register, first, .. } => {
            if let Some(lanes) = grid.layout {
                lanes.row_ui(
                    ui,
                    BoardView { pen, board },
                    LaneRow { register, first: *first, row: rect },
                    view,
                    Asked { touched, out },
                );
            }
        }
        GridRow::Cells { names, width, value } => {
            let mut left = rect.left() + LEFT;
            for name in names {
                if let Some(cell) = board.cell(name) {
                    let place = Rect::from_min_size(pos2(left, rect.top()), vec2(*width, rect.height()));
                    cell_ui(ui, place, CellPaint { pen, cell, value: *value }, view, Asked { touched, out });
                }
                left += width;
            }
        }
    }
}

/// Vectors are read in lanes; predicates, status and control registers are not.
fn is_vector(name: &str) -> bool {
    let digits = name.get(1..).unwrap_or_default();
    name.starts_with(['v', 'q', 'z']) && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn title_ui(
    ui: &Ui,
    rect: Rect,
    pen: &Pen<'_>,
    GroupTitle { title, count, is_open }: GroupTitle<'_>,
    touched: &mut Touched,
) {
    let lower = title.to_lowercase();
    let name = match is_open {
        true => say!("registers-hide-group", title = lower),
        false => say!("registers-show-group", title = lower),
    };
    let response = button_response(ui, rect, ("group", title), &name);
    pen.fill(rect, if response.hovered() { pen.tok.bg3 } else { pen.tok.bg2 });
    let caret = if is_open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
    let y = rect.center().y;
    pen.text(rect.left() + LEFT + 4.0, y, caret, icon(10.0), pen.tok.t2);
    let end = pen.text(rect.left() + LEFT + 20.0, y, title, semi(12.0), pen.tok.t2);
    pen.label(end + 8.0, y, thousands(count as u64), pen.tok.t3);
    if response.clicked() {
        touched.group = Some(title.to_owned());
    }
}
