//! What all panels of rows share: a list that scrolls, with a cursor that keys move.

use egui::{Rect, Ui};

use super::keys::PanelKey;
use super::list::{List, ListArea};
use super::pen::{Pen, ROW};
use super::row::{error_ui, loading_ui};
use crate::action::Action;
use crate::model::scroll::{Scroll, Viewport};
use crate::theme::Tok;
use crate::worker::Answer;

/// Where a list is scrolled to, and the row under its cursor.
#[derive(Clone, Copy, Debug, Default)]
pub struct CursorList {
    scroll: Scroll,
    /// The row under the cursor.
    pub cursor: usize,
}

impl CursorList {
    /// Lays the list out in a rectangle.
    pub fn area(&mut self, ui: &mut Ui, rect: Rect, rows: usize, tok: &Tok) -> ListArea {
        List { rows: rows as u64, ticks: &[], has_lasting_bar: false }.ui(ui, rect, &mut self.scroll, tok)
    }

    /// The first row in view.
    pub fn top(&self) -> usize {
        usize::try_from(self.scroll.top).unwrap_or(usize::MAX)
    }

    /// Moves the cursor by a key and brings it into view. Returns the row at which the key was pressed.
    pub fn press(&mut self, key: PanelKey, rows: usize, list: Rect) -> usize {
        let (last, view) = (rows.saturating_sub(1), view(rows, list));
        let page = usize::try_from(view.page()).unwrap_or(1);
        let before = self.cursor.min(last);
        self.cursor = key.moved(before, last, page);
        self.scroll.reveal_row(self.cursor as u64, &view);
        before
    }

    /// Brings a row into view; the cursor stays.
    pub fn reveal(&mut self, row: usize, rows: usize, list: Rect) {
        self.scroll.reveal_row(row as u64, &view(rows, list));
    }

    /// Puts the cursor on a row and brings that into view.
    pub fn go_to(&mut self, row: usize, rows: usize, list: Rect) {
        self.cursor = row;
        self.scroll.reveal_row(row as u64, &view(rows, list));
    }
}

fn view(rows: usize, list: Rect) -> Viewport {
    Viewport { rows: rows as u64, height: list.height(), row_height: ROW }
}

/// Where an answer is drawn.
pub struct AnswerPlace<'a> {
    /// With what.
    pub pen: &'a Pen<'a>,
    /// Where.
    pub rect: Rect,
}

impl AnswerPlace<'_> {
    /// Draws an answer, faded while a newer one is late; bars where there is none yet; why, where it failed.
    pub fn ui<A>(
        self,
        ui: &mut Ui,
        answer: &Answer<'_, A>,
        out: &mut Vec<Action>,
        draw: impl FnOnce(&mut Ui, &Pen<'_>, &A, &mut Vec<Action>),
    ) {
        match answer {
            Answer::Fresh(answer) | Answer::Stale(answer) => draw(ui, self.pen, answer, out),
            Answer::Late(answer) => draw(ui, &self.pen.clone().faded(), answer, out),
            Answer::Loading => loading_ui(self.pen, self.rect),
            Answer::Failed(error) => error_ui(ui, self.pen, self.rect, error, out),
        }
    }
}

/// All the space of a panel, which is taken.
pub fn take_rect(ui: &mut Ui) -> Rect {
    let rect = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(rect);
    rect
}

#[cfg(test)]
mod tests {
    use egui::{pos2, vec2};

    use super::*;

    #[test]
    fn keys_move_the_cursor_within_the_list() {
        let (mut list, rect) = (CursorList::default(), Rect::from_min_size(pos2(0.0, 0.0), vec2(100.0, 10.0 * ROW)));
        let mut pressed = |key| (list.press(key, 25, rect), list.cursor);
        assert_eq!(pressed(PanelKey::Up), (0, 0));
        assert_eq!(pressed(PanelKey::Down), (0, 1));
        assert_eq!(pressed(PanelKey::Last), (1, 24));
        assert_eq!(pressed(PanelKey::PageDown), (24, 24));
        assert_eq!(pressed(PanelKey::Enter), (24, 24));
        assert_eq!(pressed(PanelKey::First), (24, 0));
    }

    #[test]
    fn a_list_that_became_shorter_has_its_cursor_on_the_last_row() {
        let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(100.0, 100.0));
        let mut list = CursorList { cursor: 80, ..CursorList::default() };
        assert_eq!(list.press(PanelKey::Enter, 3, rect), 2);
        assert_eq!((list.press(PanelKey::Down, 0, rect), list.cursor), (0, 0));
    }
}
