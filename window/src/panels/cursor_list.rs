//! A scrolling list with a cursor, the keys that move it, and the output of the parts of a panel.
//!
//! All panels of rows share it. Keys whose meaning depends on the panel ([`PanelKey`]) are handled
//! here; all other keys are in the key map and never reach this module.

use egui::{Key, Modifiers, Rect, Ui};
use stepback_debugger::action::{Action, AppAction};
use stepback_debugger::desk::Desk;
use stepback_debugger::model::scroll::{Scroll, Viewport};
use stepback_debugger::views::{CursorDirection, CursorRow, PanelView, RowGesture};

use crate::panels::PanelContext;
use crate::panels::list::{List, ListArea};
use crate::panels::pen::ROW;
use crate::theme::ThemeColors;

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

/// Output of a part of a panel in one frame.
pub struct PanelOutput<'a, T> {
    /// Changes of the panel's state.
    pub touched: &'a mut T,
    /// Actions for the program.
    pub out: &'a mut Vec<Action>,
}

/// Clicks and gestures on the rows of a view in one frame.
#[derive(Debug, Default)]
pub struct RowInput {
    pub cursor: Option<usize>,
    gesture: Option<(usize, RowGesture)>,
}

impl RowInput {
    /// Records a gesture on a row; a later one in the same frame replaces it.
    pub fn gesture(&mut self, row: usize, gesture: RowGesture) {
        self.gesture = Some((row, gesture));
    }

    /// Moves the cursor to the clicked row, then applies the gesture to the view.
    pub fn apply(
        self,
        view: &mut impl PanelView,
        list: &mut CursorList,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) {
        if let Some(row) = self.cursor {
            list.click(row);
        }
        if let Some((row, gesture)) = self.gesture {
            view.act(row, gesture, desk, out);
        }
    }
}

/// Meaning of a key in the panel that has the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelKey {
    /// Moves the cursor; left and right also close and open a branch.
    Move(CursorDirection),
    /// Last write; travel.
    Enter,
    /// Next write.
    ShiftEnter,
    /// Copies the item under the cursor.
    Copy,
    /// Shows memory at the value.
    ShowMemory,
    /// Toggles following the expression.
    Follow,
    /// Zooms out.
    Out,
    /// Next group of registers.
    View,
    /// Next way to read values.
    Lanes,
    /// Changes the name.
    Rename,
    /// Changes the note.
    Note,
    /// Removes the item from the list.
    Remove,
    /// Starts or ends a comparison with another position.
    Compare,
    /// Next byte that differs.
    NextChange,
    /// Previous byte that differs.
    LastChange,
    /// Last write of 1, 2, 4 or 8 bytes.
    Bytes(u8),
}

impl PanelKey {
    /// Returns true if the key moves the cursor of a list; left and right do not.
    pub fn is_move(self) -> bool {
        matches!(self, Self::Move(toward) if !matches!(toward, CursorDirection::Left | CursorDirection::Right))
    }

    /// Returns the row to which the key moves the cursor of a list.
    pub fn moved(self, cursor: usize, last: usize, page: usize) -> usize {
        if let Self::Move(toward) = self {
            toward.moved(cursor, last, page)
        } else {
            cursor
        }
    }
}

const KEYS: [(Key, Modifiers, PanelKey); 26] = [
    (
        Key::ArrowUp,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::Up),
    ),
    (
        Key::ArrowDown,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::Down),
    ),
    (
        Key::ArrowLeft,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::Left),
    ),
    (
        Key::ArrowRight,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::Right),
    ),
    (
        Key::PageUp,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::PageUp),
    ),
    (
        Key::PageDown,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::PageDown),
    ),
    (
        Key::Home,
        Modifiers::COMMAND,
        PanelKey::Move(CursorDirection::First),
    ),
    (
        Key::End,
        Modifiers::COMMAND,
        PanelKey::Move(CursorDirection::Last),
    ),
    (Key::Enter, Modifiers::SHIFT, PanelKey::ShiftEnter),
    (Key::Enter, Modifiers::NONE, PanelKey::Enter),
    (Key::F2, Modifiers::SHIFT, PanelKey::Note),
    (Key::F2, Modifiers::NONE, PanelKey::Rename),
    (Key::Delete, Modifiers::NONE, PanelKey::Remove),
    (Key::Backspace, Modifiers::NONE, PanelKey::Out),
    (Key::M, Modifiers::NONE, PanelKey::ShowMemory),
    (Key::E, Modifiers::NONE, PanelKey::Follow),
    (Key::V, Modifiers::NONE, PanelKey::View),
    (Key::D, Modifiers::NONE, PanelKey::Compare),
    (Key::C, Modifiers::SHIFT, PanelKey::LastChange),
    (Key::C, Modifiers::NONE, PanelKey::NextChange),
    (Key::L, Modifiers::NONE, PanelKey::Lanes),
    (Key::C, Modifiers::COMMAND, PanelKey::Copy),
    (Key::Num1, Modifiers::NONE, PanelKey::Bytes(1)),
    (Key::Num2, Modifiers::NONE, PanelKey::Bytes(2)),
    (Key::Num4, Modifiers::NONE, PanelKey::Bytes(4)),
    (Key::Num8, Modifiers::NONE, PanelKey::Bytes(8)),
];

/// Takes the pressed keys if the panel has the keyboard and no text field has it.
pub fn take_keys(ui: &Ui, cx: &PanelContext<'_>) -> Vec<PanelKey> {
    if !cx.has_focus || ui.ctx().egui_wants_keyboard_input() {
        return Vec::new();
    }
    ui.input_mut(|input| {
        let is_copying = input
            .events
            .iter()
            .any(|event| matches!(event, egui::Event::Copy));
        let copied = is_copying.then_some(PanelKey::Copy);
        let pressed = |(key, modifiers, meaning): &(Key, Modifiers, PanelKey)| {
            let count = input.count_and_consume_key(*modifiers, *key);
            std::iter::repeat_n(*meaning, count)
        };
        let keys: Vec<PanelKey> = KEYS.iter().flat_map(pressed).collect();
        keys.into_iter().chain(copied).collect()
    })
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
