//! The cursor on registers, and the answers about the register that is described: its target in
//! memory, its writers, and their number.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::ValueSource;
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::action::CellName;
use crate::analysis::register_part::RegisterPart;
use crate::desk::Desk;
use crate::messages::say;
use crate::model::address_text::pointed_words;
use crate::model::register_detail::{
    RegisterDetail, register_detail, register_write_columns, write_count,
};
use crate::model::registers::{RegisterBoard, RegisterCell};
use crate::model::so_far::source_so_far;
use crate::model::text::short_hex;
use crate::model::{TextRole, TextSpan};
use crate::views::registers::grid::RegisterGrid;
use crate::views::registers::view::RegistersView;
use crate::views::view::CursorDirection;
use crate::worker::{Answer, Slot};

impl RegistersView {
    /// Returns the name of the register, lane or title under the cursor.
    pub fn cursor(&self) -> Option<&str> {
        self.state.cursor.as_deref()
    }

    /// Puts the cursor on a register, lane or title, or on none.
    pub fn set_cursor(&mut self, name: Option<String>) {
        self.state.cursor = name;
    }

    /// Puts the cursor on a register that was selected elsewhere, and brings it into view.
    pub fn select(&mut self, name: &str) {
        (self.state.cursor, self.state.is_revealing) = (Some(RegisterPart::parse(name).name), true);
        self.state.attended = None;
    }

    /// Moves the cursor and brings it into view.
    pub fn go<R>(&mut self, toward: CursorDirection, page: usize, grid: &RegisterGrid<R>) {
        if let Some(spot) = grid.moved(self.cursor(), toward, page) {
            (self.state.cursor, self.state.is_revealing) = (Some(spot.name.clone()), true);
        }
    }

    /// Moves a cursor that is on nothing to the first register.
    pub fn settle_cursor<R>(&mut self, grid: &RegisterGrid<R>) {
        if self.cursor().and_then(|name| grid.row_of(name)).is_none() {
            (self.state.cursor, self.state.is_revealing) =
                (grid.first().map(|spot| spot.name.clone()), true);
        }
    }

    /// Returns the row of the cursor once after each move, to be brought into view.
    pub fn take_reveal<R>(&mut self, grid: &RegisterGrid<R>) -> Option<usize> {
        let is_revealing = std::mem::take(&mut self.state.is_revealing);
        self.cursor()
            .filter(|_| is_revealing)
            .and_then(|name| grid.row_of(name))
    }

    /// Opens the title of a register that was selected elsewhere.
    pub(super) fn open_title_of_cursor(&mut self, board: &RegisterBoard) {
        let Some(cursor) = self
            .state
            .cursor
            .as_ref()
            .filter(|_| self.state.is_revealing)
        else {
            return;
        };
        let section = board
            .groups
            .iter()
            .find(|section| section.cells.iter().any(|cell| cell.name == *cursor));
        if let Some(title) = section
            .map(|section| section.title)
            .filter(|title| !self.is_open(title))
        {
            self.toggle_title(title);
        }
    }

    /// Returns the register or lane under the cursor.
    pub fn selection(&self) -> Option<CellName> {
        self.cursor()
            .filter(|name| !self.is_title(name))
            .map(|name| self.cell_name(name))
    }

    /// Describes a register instead of the one under the cursor; none: the one under the cursor
    /// again.
    pub fn attend(&mut self, name: Option<&str>) {
        self.state.attended = name.map(|name| RegisterPart::parse(name).name);
    }

    /// Returns the register to be described: the one under the pointer, the attended one, the one
    /// under the cursor, or the first that changed.
    pub fn described(&self, hovered: Option<&str>, board: &RegisterBoard) -> Option<RegisterCell> {
        let first =
            |is_meant: fn(&RegisterCell) -> bool| board.core.iter().find(|cell| is_meant(cell));
        let changed = || {
            first(|cell| cell.is_news)
                .or(first(|cell| cell.is_changed))
                .or(board.core.first())
                .cloned()
        };
        let name = hovered.or(self.state.attended.as_deref()).or(self.cursor());
        name.and_then(|name| board.part(name)).or_else(changed)
    }

    /// Toggles the target of the value under the cursor in the status line.
    pub fn toggle_pointed(&mut self) {
        self.state.pointed.is_on ^= true;
    }

    /// Requests the target of the value under the cursor, if the status line shows it.
    pub fn poll_pointed(&mut self, desk: &Desk) {
        let position = desk.windows.position_of(self.follow);
        if let Some(cell) = self.cursor().and_then(|name| self.board()?.part(name)) {
            self.state.pointed.poll(&cell, position, desk);
        }
    }

    /// Returns the status line: the value under the cursor and its writer.
    pub fn status(&self, desk: &Desk) -> Vec<TextSpan> {
        let cell = self.cursor().and_then(|name| self.board()?.part(name));
        cell.map_or_else(Vec::new, |cell| self.state.pointed.spans(&cell, desk))
    }
}

/// The symbol and the text at the address that a value points to.
#[derive(Default)]
pub(super) struct PointedValue {
    /// The status line shows them.
    pub(super) is_on: bool,
    answer: Slot<(u64, Position), Option<String>>,
}

impl PointedValue {
    pub(super) fn poll(&mut self, cell: &RegisterCell, position: Position, desk: &Desk) {
        let Some(value) = cell.value.to_u64().filter(|_| self.is_on) else {
            return;
        };
        self.answer
            .poll(&(value, position), &desk.worker, |(value, position)| {
                let (value, position, session) = (*value, *position, Arc::clone(&desk.session));
                move |cancel: &Cancel| pointed_words(&session, Address(value), position, cancel)
            });
    }

    pub(super) fn forget(&mut self) {
        self.answer.clear();
    }

    fn words(&self, value: u64) -> Option<&str> {
        let (_, words) = self
            .answer
            .peek()
            .filter(|((of, _), _)| self.is_on && *of == value)?;
        words.as_deref()
    }

    /// Returns name, value, target and writer.
    pub(super) fn spans(&self, cell: &RegisterCell, desk: &Desk) -> Vec<TextSpan> {
        let mut spans = vec![TextSpan::new(TextRole::Register, cell.name.clone())];
        let mut add =
            |meaning, text: String| spans.push(TextSpan::new(meaning, format!(" {text}")));
        if let Some(hex) = short_hex(&cell.value) {
            add(TextRole::Plain, format!("0x{hex}"));
        }
        if let Some(value) = cell.value.to_u64() {
            add(TextRole::Number, format!("= {value}"));
            match self.words(value) {
                Some(words) => add(TextRole::Symbol, format!("→ {words}")),
                None if self.is_on => {
                    add(TextRole::Label, say!("terminal-points-nowhere").to_owned())
                }
                None => {}
            }
        }
        if cell.source != ValueSource::Recorded {
            let words = source_so_far(&desk.session, cell.source, cell.source_word());
            let reason = cell
                .reason
                .as_ref()
                .map(|reason| format!(": {reason}"))
                .unwrap_or_default();
            add(TextRole::Label, format!("{words}{reason}"));
        }
        if let Some(step) = cell.written_by {
            add(
                TextRole::Label,
                say!("memory-written-by-step", step = step.0),
            );
        }
        spans
    }
}

impl RegistersView {
    /// Returns the writes of a register or lane around the position.
    pub fn detail(&mut self, name: &str, desk: &Desk) -> Option<&RegisterDetail> {
        let key = (self.part(name), desk.windows.position_of(self.follow));
        let answer = self
            .state
            .detail
            .poll(&key, &desk.worker, |(part, position)| {
                let (part, position, session) =
                    (part.clone(), *position, Arc::clone(&desk.session));
                move |cancel: &Cancel| register_detail(&session, &part, position, cancel)
            });
        answer.any()
    }

    /// Returns the number of writes of a register or lane in the whole trace, once it is known.
    pub fn write_count(&mut self, name: &str, desk: &Desk) -> Option<u64> {
        let key = (self.part(name), self.board()?.thread);
        let answer = self
            .state
            .write_count
            .poll_long(&key, &desk.worker, |(part, thread)| {
                let (part, thread, session) = (part.clone(), *thread, Arc::clone(&desk.session));
                move |cancel: &Cancel| write_count(&session, &part, thread, cancel)
            });
        if let Answer::Fresh(count) = answer {
            Some(*count)
        } else {
            None
        }
    }

    /// Divides the trace into equal `columns`, and returns those in which a register or lane is
    /// written.
    pub fn write_columns(&mut self, name: &str, columns: u32, desk: &Desk) -> Option<&[u32]> {
        let key = (self.part(name), self.board()?.thread, columns);
        let answer =
            self.state
                .write_columns
                .poll(&key, &desk.worker, |(part, thread, columns)| {
                    let (part, thread, columns, session) =
                        (part.clone(), *thread, *columns, Arc::clone(&desk.session));
                    move |cancel: &Cancel| {
                        register_write_columns(&session, &part, thread, columns, cancel)
                    }
                });
        if let Answer::Fresh(written) = answer {
            Some(written)
        } else {
            None
        }
    }

    fn part(&self, name: &str) -> RegisterPart {
        RegisterPart {
            thread: self.thread.clone(),
            ..RegisterPart::parse(name)
        }
    }
}
