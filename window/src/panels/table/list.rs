//! The rows of a table under their heads.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use stepback_debugger::action::Action;
use stepback_debugger::messages::say;
use stepback_debugger::views::{PanelView, TableSource, TableView};
use stepback_parsers::Position;

use super::rows::TableRows;
use crate::panels::PanelContext;
use crate::panels::cursor_list::{CursorList, ListExtent, PanelKey, RowInput};
use crate::panels::pen::Pen;
use crate::panels::row::{EmptyMessage, empty_ui};
use crate::panels::table::columns::ColumnEdges;
use crate::panels::table::table_ui::icon_of;
use crate::theme::icons;

/// Height of the column heads.
const HEAD: f32 = 20.0;

/// Cursor and scroll position of a table.
#[derive(Debug, Default)]
pub struct RowList {
    cursor: CursorList,
    /// The position that was last brought into view, and the number of rows before it.
    revealed: Option<(Position, usize)>,
}

/// Area of a table.
#[derive(Clone, Copy)]
pub struct ListPlace<'a> {
    pub pen: &'a Pen<'a>,
    /// Message that is shown if the table has no rows.
    pub nothing: EmptyMessage<'a>,
    pub rect: Rect,
}

impl ListPlace<'_> {
    /// Returns the extent of a number of rows below the heads.
    fn shown(&self, rows: usize) -> ListExtent {
        ListExtent {
            rows,
            list: self.rect.split_top_bottom_at_y(self.rect.top() + HEAD).1,
        }
    }
}

impl RowList {
    pub fn cursor(&self) -> usize {
        self.cursor.cursor
    }

    /// Returns true if the user moved the cursor since the last call.
    pub fn take_touch(&mut self) -> bool {
        self.cursor.take_touch()
    }

    /// Moves to the first row.
    pub fn rewind(&mut self) {
        *self = Self::default();
    }

    /// Puts the cursor on the row that the next Down key goes to, and brings it into view.
    pub fn go_before(&mut self, row: usize, rows: usize, place: &ListPlace<'_>) {
        let ListExtent { rows, list } = place.shown(rows);
        self.cursor.go_before(row, rows, list);
    }

    /// Puts the cursor on a row and brings it into view.
    pub fn go_to(&mut self, row: usize, rows: usize, place: &ListPlace<'_>) {
        let ListExtent { rows, list } = place.shown(rows);
        self.cursor.go_to(row, rows, list);
    }

    /// Takes the cursor off the list: its item is not listed any more.
    pub fn leave(&mut self) {
        self.cursor.cursor = usize::MAX;
    }

    /// Draws heads and rows, and applies keys and clicks.
    pub fn ui<S: TableSource>(
        &mut self,
        ui: &mut Ui,
        place: &ListPlace<'_>,
        view: &mut TableView<S>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let ListPlace { pen, nothing, rect } = *place;
        let table = Arc::clone(view.table());
        if table.rows.is_empty() && !view.shown().filter.is_empty() {
            let words = EmptyMessage(
                say!("table-no-row-holds-the-text"),
                say!("table-take-something-out-of-the"),
            );
            return empty_ui(ui, pen, rect, icons::SEARCH, words);
        }
        if table.rows.is_empty() {
            return empty_ui(ui, pen, rect, icon_of(view.kind()), nothing);
        }
        let head = rect.split_top_bottom_at_y(rect.top() + HEAD).0;
        let shown = place.shown(view.row_count());
        for (key, row) in self.cursor.keys(ui, view, shown, cx, out) {
            let has_memory = table.rows.get(row).is_some_and(|row| row.address.is_some());
            if key == PanelKey::ShowMemory && has_memory {
                let gestures = view.source().memory_gestures();
                gestures
                    .iter()
                    .for_each(|gesture| _ = view.act(row, *gesture, cx.desk, out));
            }
        }
        let gap = view.rows_before(cx.desk);
        self.reveal(gap, shown);
        let area = self.cursor.area(ui, shown.list, shown.rows, cx.tok);
        view.fetch(area.seen(), cx.desk);
        let head_pen = Pen {
            painter: pen.painter.with_clip_rect(head),
            tok: cx.tok,
        };
        let pen = Pen {
            painter: pen.painter.with_clip_rect(area.body),
            tok: cx.tok,
        };
        let ordered = TableRows::ordered(view);
        let edges = ColumnEdges::new(&pen, &table, view.kind(), ordered, area.body);
        let rows = TableRows {
            pen,
            cx,
            view,
            table: &table,
            cursor: self.cursor(),
            edges: &edges,
        };
        let sorted = rows.heads_ui(ui, &head_pen, head);
        let mut touched = RowInput::default();
        for (place, rect) in area.places() {
            match place < table.rows.len() {
                true => rows.row_ui(ui, rect, place, &mut touched, out),
                false => rows.more_ui(ui, rect, &mut touched),
            }
            let y = match gap {
                Some((_, gap)) if gap == place => Some(rect.top()),
                Some((_, gap)) if gap == place + 1 => Some(rect.bottom()),
                _ => None,
            };
            if let Some(y) = y {
                position_line(&rows.pen, rect, y, cx);
            }
        }
        if let Some(column) = sorted {
            view.sort_by(column);
        }
        touched.apply(view, &mut self.cursor, cx.desk, out);
    }

    /// Scrolls to the position when it moved, and keeps it in view while rows before it are found.
    fn reveal(&mut self, gap: Option<(Position, usize)>, ListExtent { rows, list }: ListExtent) {
        match gap {
            Some((_, before)) if self.revealed != gap => {
                self.cursor
                    .reveal(before.min(rows.saturating_sub(1)), rows, list);
                self.revealed = gap;
            }
            // The list was scrolled to the position in step order. In any other order the first row
            // matters most.
            None if self.revealed.is_some() => self.rewind(),
            _ => {}
        }
    }
}

/// Draws the position between rows, as in the list of steps.
fn position_line(pen: &Pen<'_>, rect: Rect, y: f32, cx: &PanelContext<'_>) {
    let (color, y) = (cx.tok.position(cx.desk.windows.active.0), y.round());
    pen.fill(
        Rect::from_min_max(pos2(rect.left(), y - 1.0), pos2(rect.right(), y + 1.0)),
        color,
    );
    pen.triangle(
        [
            pos2(rect.left(), y - 5.0),
            pos2(rect.left() + 6.0, y),
            pos2(rect.left(), y + 5.0),
        ],
        color,
    );
}
