//! How a register reads, and how what happened to it is told apart without colour.
//!
//! A sign before the value: `*` the last move changed it, `=` the step just done wrote what it was.
//! A sign behind it: `~` inferred, `!` external. Unknown bytes are `??`.

use ratatui::style::{Modifier, Style};
use stepback_index::ValueSource;
use stepback_machine::{LaneFormat, LaneKind};

use super::grid::{Shown, Spot};
use crate::clean::width;
use crate::look::{Look, Role};
use crate::pen::{Pen, Run};
use stepback_debugger::messages::say;
use stepback_debugger::model::Meaning;
use stepback_debugger::model::register_format::ShownAs;
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell, lane_characters};
use stepback_debugger::model::text::{flags_text, thousands};

/// A value of more bytes is a word when nothing states it.
const LONG: usize = 8;

/// How values are read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// In lanes, for groups that have some.
    pub lanes: Option<LaneFormat>,
    /// All others.
    pub shown_as: ShownAs,
}

impl Reading {
    /// The name of a register.
    pub fn name(self, cell: &RegisterCell) -> &str {
        self.shown_as.name(cell)
    }

    /// How many columns a value takes at most, so that columns stand still while stepping.
    pub fn characters(self, cell: &RegisterCell, board: &RegisterBoard) -> u16 {
        let most = match self.number_format(cell) {
            Some(format) => 2 * cell.value.0.len() + 1 + lane_characters(format),
            None if flags_of(cell, board).is_some() => width(&self.text(cell, board)),
            None if cell.value.is_unknown() && cell.value.0.len() > LONG => say!("registers-unknown").chars().count(),
            None => self.shown_as.characters(cell),
        };
        u16::try_from(most).unwrap_or(u16::MAX)
    }

    /// A value: that of the status register as its flags, a number with its digits.
    pub fn text(self, cell: &RegisterCell, board: &RegisterBoard) -> String {
        if let Some(flags) = flags_of(cell, board) {
            return flags;
        }
        if cell.value.is_unknown() && cell.value.0.len() > LONG {
            return say!("registers-unknown").to_owned();
        }
        match self.number_format(cell) {
            Some(format) => format!("{} {}", cell.hex, format.lanes(&cell.value.0).concat()),
            None => self.shown_as.text(cell),
        }
    }

    /// How a register of one lane is read besides its digits.
    fn number_format(self, cell: &RegisterCell) -> Option<LaneFormat> {
        self.lanes.filter(|format| format.kind != LaneKind::Hex && usize::from(format.size_bytes) == cell.value.0.len())
    }
}

/// The flags and the mode, for the status register.
fn flags_of(cell: &RegisterCell, board: &RegisterBoard) -> Option<String> {
    let is_status = board.psr.as_ref().is_some_and(|psr| psr.name == cell.name);
    if !is_status || board.status.flags.is_empty() {
        return None;
    }
    let mode = board.status.mode.as_deref().unwrap_or_default();
    Some(format!("{} {mode}", flags_text(&board.status)).trim_end().to_owned())
}

/// What is drawn, and how it stands out.
#[derive(Clone, Copy)]
pub struct Drawn<'a> {
    /// Where.
    pub spot: &'a Spot,
    /// Of all registers.
    pub board: &'a RegisterBoard,
    /// How it reads.
    pub reading: Reading,
    /// The cursor that is on it, if it is.
    pub cursor: Option<Role>,
    /// Of a title: what it stands for is shown.
    pub is_open: bool,
}

/// Draws a register or a lane.
pub fn draw(run: Run, drawn: Drawn<'_>, pen: &mut Pen<'_>) {
    let Drawn { spot, board, reading, cursor, .. } = drawn;
    if let Some(role) = cursor {
        pen.mark(run.behind(spot.x).first(spot.cells), pen.look.style(role));
    }
    if spot.shown == Shown::Title {
        return draw_title(run, drawn, pen);
    }
    let Some(mut cell) = board.part(&spot.name) else { return };
    if board.pc.as_ref().is_some_and(|pc| pc.name == cell.name) {
        // It changes with every step; marking it would say nothing.
        (cell.is_changed, cell.is_news) = (false, false);
    }
    let run = run.behind(spot.x).first(spot.cells);
    match spot.shown {
        Shown::Name => {
            pen.role(run, reading.name(&cell), Role::Text(Meaning::Register));
        }
        Shown::Register(value) => {
            pen.role(run.first(value), reading.name(&cell), Role::Text(Meaning::Register));
            draw_value(run.behind(value), &cell, &reading.text(&cell, board), pen);
        }
        Shown::Lane => {
            // The step wrote all of the register: what is the same says nothing.
            cell.is_news &= cell.is_changed;
            let text = reading.lanes.map_or_else(String::new, |format| format.lanes(&cell.value.0).concat());
            let spare = run.cells().saturating_sub(pen.width(&text)).saturating_sub(2);
            draw_value(run.behind(spare), &cell, &text, pen);
        }
        Shown::Title => {}
    }
}

/// What further registers there are, and whether they are shown.
fn draw_title(run: Run, drawn: Drawn<'_>, pen: &mut Pen<'_>) {
    let Some(section) = drawn.board.groups.iter().find(|section| section.title == drawn.spot.name) else { return };
    let sign = if drawn.is_open { "-" } else { "+" };
    let title = format!("{sign} {} {}", section.title, thousands(section.cells.len() as u64));
    pen.role(run, &title, Role::Title);
}

/// A value between its signs.
fn draw_value(run: Run, cell: &RegisterCell, text: &str, pen: &mut Pen<'_>) {
    let style = style_of(cell, pen.look);
    let rest = pen.text(run, change_sign(cell), style);
    // The sign behind it is seen even where there is not enough room for the value.
    let behind = Run { end: rest.end.saturating_sub(1).max(rest.x), ..rest };
    let rest = pen.text(behind, text, style);
    pen.text(Run { end: run.end, ..rest }, source_sign(cell.source), style);
}

/// Whether the last move changed a value, as a sign. Of what is not known nothing says that it is the same.
pub fn change_sign(cell: &RegisterCell) -> &'static str {
    match () {
        () if cell.is_changed => "*",
        () if cell.is_news && cell.value.0.iter().all(Option::is_some) => "=",
        () => " ",
    }
}

/// Where a value comes from, as a sign; what the trace states has none, and what is unknown has `?` for its digits.
pub fn source_sign(source: ValueSource) -> &'static str {
    match source {
        ValueSource::Inferred => "~",
        ValueSource::External => "!",
        ValueSource::Recorded | ValueSource::Unknown => " ",
    }
}

fn style_of(cell: &RegisterCell, look: &Look) -> Style {
    let meaning = match cell.source {
        ValueSource::Recorded => Meaning::Plain,
        ValueSource::Inferred => Meaning::Inferred,
        ValueSource::External => Meaning::External,
        ValueSource::Unknown => Meaning::Unknown,
    };
    let of_source = look.text(meaning);
    match () {
        () if cell.is_changed => of_source.patch(look.style(Role::Changed)),
        () if cell.is_news => of_source.add_modifier(Modifier::BOLD),
        () => of_source,
    }
}
