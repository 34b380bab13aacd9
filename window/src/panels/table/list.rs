//! The rows of a table under their heads: order, filter, cursor.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use stepback_parsers::Position;

use super::kind::TableKind;
use super::rows::{TableRows, act};
use crate::panels::ViewCx;
use crate::panels::cursor_list::CursorList;
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::pen::Pen;
use crate::panels::row::{EmptyWords, empty_ui};
use crate::theme::icons;
use stepback_debugger::action::Action;
use stepback_debugger::messages::say;
use stepback_debugger::model::table::{Table, View};

/// The heads of the columns.
const HEAD: f32 = 20.0;

/// What of a table is in view, and the row under the cursor.
#[derive(Debug, Default)]
pub struct RowList {
    /// What the view shows of an answer.
    seen: Option<Seen>,
    cursor: CursorList,
    /// The cursor was moved: before that it stands on the row that it is to be moved to first.
    is_entered: bool,
    /// The cursor was moved, by a key or a click, in the frame that was drawn last.
    was_touched: bool,
    /// The position that was last brought into view, and the rows before it.
    revealed: Option<(Position, usize)>,
}

/// A table as a view shows it: no frame goes through all rows.
#[derive(Debug)]
struct Seen {
    of: Arc<Table>,
    view: View,
    table: Arc<Table>,
}

/// The list that is shown.
pub struct TableView<'a> {
    /// What is painted with.
    pub pen: &'a Pen<'a>,
    /// What it lists.
    pub kind: TableKind,
    /// All its rows.
    pub table: &'a Table,
    /// What is said where it has none.
    pub nothing: EmptyWords<'a>,
    /// Where.
    pub rect: Rect,
}

impl RowList {
    /// The rows that a view shows.
    pub fn seen(&mut self, table: &Arc<Table>, view: &View) -> Arc<Table> {
        if table.is_whole_in(view) {
            return Arc::clone(table);
        }
        let known = self.seen.as_ref().filter(|seen| Arc::ptr_eq(&seen.of, table) && seen.view == *view);
        if let Some(seen) = known {
            return Arc::clone(&seen.table);
        }
        let seen = Arc::new(table.seen(view));
        self.seen = Some(Seen { of: Arc::clone(table), view: view.clone(), table: Arc::clone(&seen) });
        seen
    }

    /// The row under the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor.cursor
    }

    /// Whether the user moved the cursor in the frame that was drawn last.
    pub fn was_touched(&self) -> bool {
        self.was_touched
    }

    /// Back to the first row.
    pub fn rewind(&mut self) {
        (self.cursor, self.is_entered, self.revealed) = (CursorList::default(), false, None);
    }

    /// Puts the cursor on the row that the next move goes to, and brings it into view.
    pub fn stand_before(&mut self, row: usize, shown: &TableView<'_>) {
        self.cursor.go_to(row, shown.table.rows.len(), body(shown.rect));
        self.is_entered = false;
    }

    /// Puts the cursor on a row and brings it into view.
    pub fn go_to(&mut self, row: usize, shown: &TableView<'_>) {
        self.cursor.go_to(row, shown.table.rows.len(), body(shown.rect));
        self.is_entered = true;
    }

    /// The cursor is on no row: what it was on is not listed.
    pub fn leave(&mut self) {
        self.cursor.cursor = usize::MAX;
    }

    /// Draws heads and rows, and does what keys and clicks ask for.
    pub fn ui(&mut self, ui: &mut Ui, shown: &TableView<'_>, view: &mut View, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let TableView { pen, kind, table, nothing, rect } = *shown;
        if table.rows.is_empty() && !view.filter.is_empty() {
            let words = EmptyWords(say!("table-no-row-holds-the-text"), say!("table-take-something-out-of-the"));
            return empty_ui(ui, pen, rect, icons::SEARCH, words);
        }
        if table.rows.is_empty() {
            return empty_ui(ui, pen, rect, kind.icon(), nothing);
        }
        let (head, list) = rect.split_top_bottom_at_y(rect.top() + HEAD);
        self.was_touched = false;
        self.keys(ui, shown, view, cx, out);
        let gap = gap_of(shown, view, cx);
        // The list by steps had gone to the position; where rows stand otherwise the first matters most.
        if gap.is_none() && self.revealed.is_some() {
            self.rewind();
        }
        self.reveal(gap, list, table.rows.len());
        let area = self.cursor.area(ui, list, table.rows.len(), cx.tok);
        let head_pen = Pen { painter: pen.painter.with_clip_rect(head), tok: cx.tok };
        let pen = Pen { painter: pen.painter.with_clip_rect(area.body), tok: cx.tok };
        let shown = TableRows { pen, cx, kind, table, cursor: self.cursor.cursor, right: area.body.right() };
        if let Some(column) = shown.heads_ui(ui, &head_pen, head, view) {
            view.sort_by(column, table);
        }
        for (place, rect) in area.places() {
            if shown.row_ui(ui, rect, place, out) {
                (self.cursor.cursor, self.is_entered, self.was_touched) = (place, true, true);
            }
            if let Some(group) = shown.caret_ui(ui, rect, place) {
                view.toggle(group);
            }
            let y = match gap {
                Some((_, gap)) if gap == place => Some(rect.top()),
                Some((_, gap)) if gap == place + 1 => Some(rect.bottom()),
                _ => None,
            };
            if let Some(y) = y {
                position_line(&shown.pen, rect, y, cx);
            }
        }
    }

    /// Scrolls to the position when it moved, and along with it while rows before it are found.
    fn reveal(&mut self, gap: Option<(Position, usize)>, list: Rect, rows: usize) {
        if gap.is_some() && self.revealed != gap {
            self.cursor.reveal(gap.map_or(0, |(_, gap)| gap).min(rows.saturating_sub(1)), rows, list);
            self.revealed = gap;
        }
    }

    fn keys(&mut self, ui: &Ui, shown: &TableView<'_>, view: &mut View, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let (kind, table) = (shown.kind, shown.table);
        for key in take_keys(ui, cx) {
            self.was_touched = true;
            let is_at_first = !std::mem::replace(&mut self.is_entered, true) && kind.follows_cursor();
            let stood = self.cursor.cursor;
            let pressed = self.cursor.press(key, table.rows.len(), body(shown.rect));
            if is_at_first && key == PanelKey::Down {
                self.cursor.go_to(stood, table.rows.len(), body(shown.rect));
            }
            let Some(row) = table.rows.get(pressed) else { continue };
            match key {
                PanelKey::Left | PanelKey::Right if table.is_grouped() => self.turn(key, shown, view),
                PanelKey::Enter if kind.travels_by_enter() => act(row, cx, out),
                PanelKey::Enter | PanelKey::ShowMemory => {
                    out.extend(row.address.map(|address| Action::ShowMemory(address.to_string())));
                }
                PanelKey::Copy => out.push(Action::Copy(row.line())),
                _ if kind.follows_cursor() && key.is_move() => {
                    table.rows.get(self.cursor.cursor).iter().for_each(|row| act(row, cx, out));
                }
                _ => {}
            }
        }
    }
}

impl RowList {
    /// Opens or closes the group under the cursor; from a row of an open one goes to its head.
    fn turn(&mut self, key: PanelKey, shown: &TableView<'_>, view: &mut View) {
        let cursor = self.cursor.cursor;
        let Some(group) = shown.table.group_around(cursor) else { return };
        if group.head != cursor && key == PanelKey::Left {
            self.cursor.go_to(group.head, shown.table.rows.len(), body(shown.rect));
        } else if group.head == cursor && group.is_open == (key == PanelKey::Left) {
            view.toggle(group.key);
        }
    }
}

/// The rows below the heads.
fn body(rect: Rect) -> Rect {
    rect.split_top_bottom_at_y(rect.top() + HEAD).1
}

/// The position, and how many rows are before it; none where rows are no moments in their order.
fn gap_of(shown: &TableView<'_>, view: &View, cx: &ViewCx<'_>) -> Option<(Position, usize)> {
    let is_in_order = view.column.is_none() || (view.column == Some(0) && !view.is_falling);
    let position = cx.desk.windows.active().position;
    let is_before = |row: &stepback_debugger::model::table::TableRow| row.position.is_some_and(|at| at <= position);
    let has_marks = shown.kind.has_position() && is_in_order && !shown.table.is_grouped();
    has_marks.then(|| (position, shown.table.rows.partition_point(is_before)))
}

/// The position between rows, as in the list of steps.
fn position_line(pen: &Pen<'_>, rect: Rect, y: f32, cx: &ViewCx<'_>) {
    let (color, y) = (cx.tok.position(cx.desk.windows.active.0), y.round());
    pen.fill(Rect::from_min_max(pos2(rect.left(), y - 1.0), pos2(rect.right(), y + 1.0)), color);
    pen.triangle([pos2(rect.left(), y - 5.0), pos2(rect.left() + 6.0, y), pos2(rect.left(), y + 5.0)], color);
}
