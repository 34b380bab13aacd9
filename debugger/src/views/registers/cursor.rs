//! The cursor on registers, and the status line about the register under it.

use super::super::view::CursorDirection;
use super::grid::RegisterGrid;
use super::view::RegistersView;
use crate::action::CellName;
use crate::analysis::register_part::RegisterPart;
use crate::desk::Desk;
use crate::model::TextSpan;
use crate::model::registers::{RegisterBoard, RegisterCell};

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
