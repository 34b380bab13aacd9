//! A scrolling list with a cursor that keys move, shared by all panels of rows.

use egui::{Rect, Ui};

use super::PanelContext;
use super::keys::{PanelKey, take_keys};
use super::list::{List, ListArea};
use super::pen::ROW;
use crate::theme::ThemeColors;
use stepback_debugger::action::{Action, AppAction};
use stepback_debugger::model::scroll::{Scroll, Viewport};
use stepback_debugger::views::{CursorDirection, CursorRow, PanelView, RowGesture};

/// Scroll position of a list and the row under its cursor.
#[derive(Clone, Copy, Debug, Default)]
pub struct CursorList {
    scroll: Scroll,
    pub cursor: usize,
    /// The cursor was moved. Until then it is on the row that the first Down key goes to.
    is_entered: bool,
    /// A key or a click moved the cursor since [`CursorList::take_touch`] was last called.
    was_touched: bool,
    /// The marked row that was last brought into view, and the height of the list then.
    followed: Option<((u64, u64), f32)>,
}

/// Number of rows and the rectangle of the list.
#[derive(Clone, Copy, Debug)]
pub struct ListExtent {
    pub rows: usize,
    pub list: Rect,
}

impl CursorList {
    /// Lays the list out in a rectangle, follows the wheel and draws the scroll bar.
    pub fn area(&mut self, ui: &mut Ui, rect: Rect, rows: usize, tok: &ThemeColors) -> ListArea {
        List {
            rows: rows as u64,
            ticks: &[],
            has_lasting_bar: false,
        }
        .ui(ui, rect, &mut self.scroll, tok)
    }

    /// Returns the first row in view.
    pub fn top(&self) -> usize {
        usize::try_from(self.scroll.top).unwrap_or(usize::MAX)
    }

    /// Moves the cursor by a key and brings it into view. Returns the row at which the key was
    /// pressed.
    pub fn press(&mut self, key: PanelKey, rows: usize, list: Rect) -> usize {
        let (last, view) = (rows.saturating_sub(1), view(rows, list));
        let page = usize::try_from(view.page()).unwrap_or(1);
        let before = self.cursor.min(last);
        self.cursor = key.moved(before, last, page);
        (self.is_entered, self.was_touched) = (true, true);
        self.scroll.reveal_row(self.cursor as u64, &view);
        before
    }

    /// Applies the pressed keys to the rows of a view.
    ///
    /// Returns the keys without a meaning for lists, each with the row that was under the cursor.
    pub fn keys(
        &mut self,
        ui: &Ui,
        view: &mut impl PanelView,
        shown: ListExtent,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) -> Vec<(PanelKey, usize)> {
        let ListExtent { rows, list } = shown;
        let mut others = Vec::new();
        for key in take_keys(ui, cx) {
            let is_first = !self.is_entered && view.follows_cursor();
            let row = self.press(key, rows, list);
            if is_first && key == PanelKey::Move(CursorDirection::Down) {
                self.go_to(row, rows, list);
            }
            match key {
                PanelKey::Move(CursorDirection::Left)
                    if view.act(row, RowGesture::Close, cx.desk, out) => {}
                PanelKey::Move(CursorDirection::Left) => {
                    self.go_to(view.parent(row).unwrap_or(row), rows, list)
                }
                PanelKey::Move(CursorDirection::Right) => {
                    _ = view.act(row, RowGesture::Open, cx.desk, out)
                }
                PanelKey::Enter => _ = view.act(row, view.entered(), cx.desk, out),
                PanelKey::ShiftEnter => _ = view.act(row, RowGesture::GoOn, cx.desk, out),
                PanelKey::Remove => _ = view.act(row, RowGesture::Remove, cx.desk, out),
                PanelKey::Copy => out.extend(
                    view.copied_whole()
                        .or_else(|| view.copied(row))
                        .map(|it| Action::App(AppAction::Copy(it))),
                ),
                key if key.is_move() && view.follows_cursor() => {
                    view.act(self.cursor, RowGesture::Go, cx.desk, out);
                }
                key if key.is_move() => {}
                key => others.push((key, row)),
            }
        }
        others
    }

    /// Moves the cursor to the marked row if that row or the height of the list changed.
    /// `margin` rows above and below it come into view too.
    pub fn follow(
        &mut self,
        marked: Option<CursorRow>,
        margin: usize,
        ListExtent { rows, list }: ListExtent,
    ) {
        let Some(marked) = marked else { return };
        let now = Some((marked.key, list.height()));
        if self.followed != now {
            self.reveal(
                marked
                    .row
                    .saturating_add(margin)
                    .min(rows.saturating_sub(1)),
                rows,
                list,
            );
            self.reveal(marked.row.saturating_sub(margin), rows, list);
            self.go_to(marked.row, rows, list);
            self.followed = now;
        }
    }

    /// Brings a row into view; the cursor stays.
    pub fn reveal(&mut self, row: usize, rows: usize, list: Rect) {
        self.scroll.reveal_row(row as u64, &view(rows, list));
    }

    /// Puts the cursor on a row and brings that row into view.
    pub fn go_to(&mut self, row: usize, rows: usize, list: Rect) {
        (self.cursor, self.is_entered) = (row, true);
        self.scroll.reveal_row(row as u64, &view(rows, list));
    }

    /// Puts the cursor on the row that the next Down key goes to, and brings it into view.
    pub fn go_before(&mut self, row: usize, rows: usize, list: Rect) {
        self.go_to(row, rows, list);
        self.is_entered = false;
    }

    /// Puts the cursor on a clicked row.
    pub fn click(&mut self, row: usize) {
        (self.cursor, self.is_entered, self.was_touched) = (row, true, true);
    }

    /// Returns true if the user moved the cursor since the last call.
    pub fn take_touch(&mut self) -> bool {
        std::mem::take(&mut self.was_touched)
    }
}

fn view(rows: usize, list: Rect) -> Viewport {
    Viewport {
        rows: rows as u64,
        height: list.height(),
        row_height: ROW,
    }
}

/// Takes all remaining space of a panel and returns its rectangle.
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
        let (mut list, rect) = (
            CursorList::default(),
            Rect::from_min_size(pos2(0.0, 0.0), vec2(100.0, 10.0 * ROW)),
        );
        let mut pressed = |key| (list.press(key, 25, rect), list.cursor);
        assert_eq!(pressed(PanelKey::Move(CursorDirection::Up)), (0, 0));
        assert_eq!(pressed(PanelKey::Move(CursorDirection::Down)), (0, 1));
        assert_eq!(pressed(PanelKey::Move(CursorDirection::Last)), (1, 24));
        assert_eq!(pressed(PanelKey::Move(CursorDirection::PageDown)), (24, 24));
        assert_eq!(pressed(PanelKey::Enter), (24, 24));
        assert_eq!(pressed(PanelKey::Move(CursorDirection::First)), (24, 0));
    }

    #[test]
    fn a_list_that_became_shorter_has_its_cursor_on_the_last_row() {
        let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(100.0, 100.0));
        let mut list = CursorList {
            cursor: 80,
            ..CursorList::default()
        };
        assert_eq!(list.press(PanelKey::Enter, 3, rect), 2);
        assert_eq!(
            (
                list.press(PanelKey::Move(CursorDirection::Down), 0, rect),
                list.cursor
            ),
            (0, 0)
        );
    }
}
