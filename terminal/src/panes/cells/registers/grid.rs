//! Columns and lanes of a register pane by its width ([`RegisterLayout`]), and the text of its
//! registers.
//!
//! Signs mark changes without colour. Before the value: `*` the last move changed it, `=` the last
//! step wrote the value that it already had. After the value: `~` inferred, `!` external. Unknown
//! bytes are `??`.

use ratatui::style::{Modifier, Style};
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::register_format::RegisterReading;
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell, lane_characters};
use stepback_debugger::model::text::{flags_text, thousands};
use stepback_debugger::views::{
    CellSpot, GridLayout, GridRow, RegisterBlock, RegistersView, lanes_per_row,
};
use stepback_index::answer::ValueSource;
use stepback_machine::display::{LaneFormat, LaneKind};

use crate::clean::width;
use crate::look::{StyleRole, TerminalStyle};
use crate::pen::{CellRun, Pen};

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

/// Maximum length in bytes at which an unknown value is shown as digits; longer ones are shown as a
/// word.
const LONG: usize = 8;

/// Returns the maximum width of a value, so that columns keep their places while stepping.
pub fn characters(cell: &RegisterCell, reading: RegisterReading, board: &RegisterBoard) -> u16 {
    let most = match number_format(cell, reading) {
        Some(format) => 2 * cell.value.0.len() + 1 + lane_characters(format),
        None if flags_of(cell, board).is_some() => width(&value_text(cell, reading, board)),
        None if cell.value.is_unknown() && cell.value.0.len() > LONG => {
            say!("registers-unknown").chars().count()
        }
        None => reading.shown_as.characters(cell),
    };
    u16::try_from(most).unwrap_or(u16::MAX)
}

/// Returns the text of a value: flags for the status register, digits with the number otherwise.
fn value_text(cell: &RegisterCell, reading: RegisterReading, board: &RegisterBoard) -> String {
    if let Some(flags) = flags_of(cell, board) {
        return flags;
    }
    if cell.value.is_unknown() && cell.value.0.len() > LONG {
        return say!("registers-unknown").to_owned();
    }
    match number_format(cell, reading) {
        Some(format) => format!("{} {}", cell.hex, format.lanes(&cell.value.0).concat()),
        None => reading.shown_as.text(cell),
    }
}

/// Returns the number format of a register with one lane, if it is not hexadecimal.
fn number_format(cell: &RegisterCell, reading: RegisterReading) -> Option<LaneFormat> {
    reading
        .single_lane(cell)
        .filter(|format| format.kind != LaneKind::Hex)
}

/// Returns the flags and the mode if the register is the status register.
fn flags_of(cell: &RegisterCell, board: &RegisterBoard) -> Option<String> {
    let is_status = board.psr.as_ref().is_some_and(|psr| psr.name == cell.name);
    if !is_status || board.status.flags.is_empty() {
        return None;
    }
    let mode = board.status.mode.as_deref().unwrap_or_default();
    Some(
        format!("{} {mode}", flags_text(&board.status))
            .trim_end()
            .to_owned(),
    )
}

/// A register or lane to draw, with its context.
#[derive(Clone, Copy)]
pub struct RegisterCellPaint<'a> {
    pub spot: &'a CellSpot,
    pub columns: SpotColumns,
    /// The board of all registers.
    pub board: &'a RegisterBoard,
    /// The view, which has the reading of the values and the cursor.
    pub view: &'a RegistersView,
    pub cursor: StyleRole,
}

pub fn draw(line: CellRun, drawn: RegisterCellPaint<'_>, pen: &mut Pen<'_>) {
    let RegisterCellPaint {
        spot,
        columns,
        board,
        view,
        cursor,
    } = drawn;
    let reading = view.reading(board.group);
    let run = line.after(spot.x).first(columns.of(spot, line.cells()));
    if view.cursor() == Some(&spot.name) {
        pen.mark(run, pen.look.style(cursor));
    }
    let Some(mut cell) = board.part(&spot.name) else {
        return draw_title(line, drawn, pen);
    };
    if board.pc.as_ref().is_some_and(|pc| pc.name == cell.name) {
        // The program counter changes with every step: a mark would carry no information.
        (cell.is_changed, cell.is_news) = (false, false);
    }
    let name = reading.shown_as.name(&cell);
    match columns {
        SpotColumns::Cells { value, .. } => {
            pen.role(run.first(value), name, StyleRole::Text(TextRole::Register));
            draw_value(
                run.after(value),
                &cell,
                &value_text(&cell, reading, board),
                pen,
            );
        }
        SpotColumns::Lanes { .. } if spot.x == 0 => {
            let _ = pen.role(run, name, StyleRole::Text(TextRole::Register));
        }
        SpotColumns::Lanes { .. } => {
            // The step wrote the whole register: an unchanged lane is no news.
            cell.is_news &= cell.is_changed;
            let text = reading
                .lanes
                .map_or_else(String::new, |format| format.lanes(&cell.value.0).concat());
            let spare = run
                .cells()
                .saturating_sub(pen.width(&text))
                .saturating_sub(2);
            draw_value(run.after(spare), &cell, &text, pen);
        }
        SpotColumns::Title => {}
    }
}

/// Draws the title of a group of further registers, with a sign for open or closed.
fn draw_title(run: CellRun, drawn: RegisterCellPaint<'_>, pen: &mut Pen<'_>) {
    let Some(section) = drawn
        .board
        .groups
        .iter()
        .find(|section| section.title == drawn.spot.name)
    else {
        return;
    };
    let sign = if drawn.view.is_open(section.title) {
        "-"
    } else {
        "+"
    };
    let title = format!(
        "{sign} {} {}",
        section.title,
        thousands(section.cells.len() as u64)
    );
    pen.role(run, &title, StyleRole::Title);
}

/// Draws a value between its signs.
fn draw_value(run: CellRun, cell: &RegisterCell, text: &str, pen: &mut Pen<'_>) {
    let style = style_of(cell, pen.look);
    let rest = pen.text(run, change_sign(cell), style);
    // Reserves a cell for the sign after the value, even if the value does not fit.
    let after = CellRun {
        end: rest.end.saturating_sub(1).max(rest.x),
        ..rest
    };
    let rest = pen.text(after, text, style);
    pen.text(
        CellRun {
            end: run.end,
            ..rest
        },
        source_sign(cell.source),
        style,
    );
}

/// Returns the sign of a change by the last move. Unknown values are never reported as unchanged.
pub fn change_sign(cell: &RegisterCell) -> &'static str {
    match () {
        () if cell.is_changed => "*",
        () if cell.is_news && cell.value.0.iter().all(Option::is_some) => "=",
        () => " ",
    }
}

/// Returns the sign of a value's provenance. Recorded values have none; unknown ones have `?` for
/// digits.
pub fn source_sign(source: ValueSource) -> &'static str {
    match source {
        ValueSource::Inferred => "~",
        ValueSource::External => "!",
        ValueSource::Recorded | ValueSource::Unknown => " ",
    }
}

fn style_of(cell: &RegisterCell, look: &TerminalStyle) -> Style {
    let meaning = match cell.source {
        ValueSource::Recorded => TextRole::Plain,
        ValueSource::Inferred => TextRole::Inferred,
        ValueSource::External => TextRole::External,
        ValueSource::Unknown => TextRole::Unknown,
    };
    let of_source = look.text(meaning);
    match () {
        () if cell.is_changed => of_source.patch(look.style(StyleRole::Changed)),
        () if cell.is_news => of_source.add_modifier(Modifier::BOLD),
        () => of_source,
    }
}
