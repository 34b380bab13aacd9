//! The external changes of the trace: what was changed by something that the trace does not show.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_parsers::Position;

use super::rows::{ChangeRows, Columns, RowAt, Touched, key, texts, travel};
use crate::panels::ViewCx;
use crate::panels::cursor_list::{AnswerPlace, CursorList, take_rect};
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{
    EmptyWords, RowState, button_response, empty_ui, row_background, row_response, watch_for_late,
};
use crate::panels::sort::{SortBy, heads_ui};
use crate::panels::table::{Export, text_table};
use crate::theme::{icons, ui as ui_font};
use stepback_debugger::action::{Action, AppAction, CellName, PanelKind, ViewAction, WindowId};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;
use stepback_debugger::model::externals::{ExternalRow, external_rows};
use stepback_debugger::model::so_far::so_far;
use stepback_debugger::worker::Slot;

/// The bar with the count.
const BAR: f32 = 30.0;
/// The heads of the columns.
const HEAD: f32 = 20.0;
/// How many changes are listed at first, and how many more each "… more" adds.
const PAGE: usize = 200;
/// A longer list is not read to its end: it can begin elsewhere instead.
const LIMIT: usize = 10_000;

/// The reads that contradicted the last known write.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ExternalsPanel {
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<ExternalsState>,
}

#[derive(Debug)]
struct ExternalsState {
    /// Where the list begins.
    from: Position,
    limit: usize,
    answer: Slot<Asked, Arc<Vec<ExternalRow>>>,
    list: CursorList,
    sort: SortBy,
    sorted: Option<Sorted>,
}

/// From where on, and how many.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Asked {
    from: Position,
    limit: usize,
}

/// Rows in the order of a column: no frame sorts them anew.
#[derive(Debug)]
struct Sorted {
    /// Of which rows.
    of: Arc<Vec<ExternalRow>>,
    sort: SortBy,
    rows: Arc<Vec<ExternalRow>>,
}

/// The changes that are shown.
pub struct ChangesView<'a> {
    pub pen: &'a Pen<'a>,
    pub rows: &'a [ExternalRow],
}

/// The changes, the rows of the list, and where it is.
pub struct Listed<'a> {
    pub rows: &'a [ExternalRow],
    pub count: usize,
    pub list: Rect,
}

impl Default for ExternalsState {
    fn default() -> Self {
        let (answer, list, sort, sorted) = Default::default();
        Self { from: Position(0), limit: PAGE, answer, list, sort, sorted }
    }
}

impl ExternalsPanel {
    /// The list from the start of the trace.
    pub fn new() -> Self {
        Self::default()
    }

    fn row_under_cursor(&self) -> Option<&ExternalRow> {
        let (_, rows) = self.state.answer.peek()?;
        let sorted = self.state.sorted.as_ref().filter(|_| self.state.sort.column.is_some());
        sorted.map_or(rows, |sorted| &sorted.rows).get(self.state.list.cursor)
    }

    /// How many there are, and where the list begins.
    fn bar_ui(&mut self, ui: &Ui, bar: Rect, pen: &Pen<'_>, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let (tok, y) = (cx.tok, bar.center().y);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let here = cx.desk.windows.active().position;
        let (label, to) = match self.state.from {
            Position(0) => (say!("externals-list-from-the-position"), here),
            _ => (say!("externals-list-from-the-start"), Position(0)),
        };
        let width = pen.width(label, ui_font(12.0)) + 12.0;
        let button = Rect::from_min_max(pos2(bar.right() - 8.0 - width, y - 10.0), pos2(bar.right() - 8.0, y + 10.0));
        let changes = cx.desk.session.index.info().external_changes;
        let count = so_far(&cx.desk.session, &say!("externals-reads", count = changes));
        let from = match self.state.from {
            Position(0) => String::new(),
            from => say!("externals-from-step", step = from.0),
        };
        let words = say!("externals-head", reads = count, count = changes, from = from);
        let copy = Rect::from_min_max(pos2(button.left() - 28.0, y - 11.0), pos2(button.left() - 4.0, y + 11.0));
        let known = self.state.answer.peek().map(|(_, rows)| Arc::clone(rows));
        let rows = known.map(|rows| self.in_order(&rows)).unwrap_or_default();
        let heads = ["step", "thread", "address", "was", "read", "symbol"];
        Export { pen, rows: &|| text_table(&heads, rows.iter().map(texts)), name: "external changes" }
            .ui(ui, copy, out);
        pen.cut_text(pos2(bar.left() + INSET, y), &words, ui_font(12.0), tok.t2, copy.left() - 8.0);
        let response = button_response(ui, button, "from", label);
        if response.hovered() {
            pen.painter.rect_filled(button, 4.0, tok.bg3);
        }
        pen.text(button.left() + 6.0, y, label, ui_font(12.0), tok.accent);
        if response.clicked() {
            (self.state.from, self.state.limit) = (to, PAGE);
            self.state.list = CursorList::default();
        }
    }

    /// The rows in the order that was asked for.
    fn in_order(&mut self, rows: &Arc<Vec<ExternalRow>>) -> Arc<Vec<ExternalRow>> {
        let sort = self.state.sort;
        if sort.column.is_none() {
            return Arc::clone(rows);
        }
        let known = self.state.sorted.take();
        let is_known = |known: &Sorted| Arc::ptr_eq(&known.of, rows) && known.sort == sort;
        let sorted = known.filter(is_known).unwrap_or_else(|| {
            let mut sorted = rows.to_vec();
            sort.sort(&mut sorted, key);
            Sorted { of: Arc::clone(rows), sort, rows: Arc::new(sorted) }
        });
        let rows = Arc::clone(&sorted.rows);
        self.state.sorted = Some(sorted);
        rows
    }

    fn list_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        ChangesView { pen, rows }: ChangesView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        if rows.is_empty() {
            let title = so_far(&cx.desk.session, say!("externals-no-external-change-from-there"));
            let words = EmptyWords(&title, say!("externals-list-from-the-start-of"));
            return empty_ui(ui, pen, rect, icons::CHECK, words);
        }
        let (head, list) = rect.split_top_bottom_at_y(rect.top() + HEAD);
        let has_more = rows.len() >= self.state.limit && self.state.limit < LIMIT;
        let count = rows.len() + usize::from(has_more);
        self.keys(ui, Listed { rows, count, list }, cx, out);
        let area = self.state.list.area(ui, list, count, cx.tok);
        let mut touched = Touched::default();
        let columns = Columns::new(area.body, rows, cx.desk.session.index.threads().len());
        if heads_ui(ui, pen, head, &columns.heads(), &mut self.state.sort) {
            self.state.list = CursorList::default();
        }
        let pen = Pen { painter: pen.painter.with_clip_rect(area.body), tok: cx.tok };
        let shown = ChangeRows { pen, cx, columns, cursor: self.state.list.cursor };
        for (place, rect) in area.places() {
            match rows.get(place) {
                Some(row) => shown.row_ui(ui, rect, RowAt { place, row }, &mut touched, out),
                None => self.more_ui(ui, rect, &shown.pen, place, cx),
            }
        }
        if let Some(cursor) = touched.cursor {
            self.state.list.cursor = cursor;
        }
    }

    fn more_ui(&mut self, ui: &Ui, rect: Rect, pen: &Pen<'_>, place: usize, cx: &ViewCx<'_>) {
        let response = row_response(ui, rect, "more", || say!("externals-more").to_owned());
        let is_cursor = self.state.list.cursor == place;
        row_background(pen, rect, &response, RowState { is_selected: false, is_cursor, has_focus: cx.has_focus });
        pen.text(rect.left() + INSET, rect.center().y, say!("externals-more"), ui_font(11.5), cx.tok.accent);
        if response.clicked() {
            self.state.limit = (self.state.limit + PAGE).min(LIMIT);
        }
    }

    fn keys(&mut self, ui: &Ui, Listed { rows, count, list }: Listed<'_>, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            match (key, rows.get(self.state.list.press(key, count, list))) {
                (PanelKey::Enter, Some(row)) => out.push(travel(row, cx)),
                (PanelKey::Enter, None) => self.state.limit = (self.state.limit + PAGE).min(LIMIT),
                (PanelKey::ShowMemory, Some(row)) => {
                    out.extend([travel(row, cx), Action::View(ViewAction::ShowMemory(row.address.to_string()))]);
                }
                (PanelKey::Copy, Some(row)) => out.push(Action::App(AppAction::Copy(row.line()))),
                _ => {}
            }
        }
    }
}

impl Panel for ExternalsPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Externals
    }

    fn title(&self) -> String {
        say!("externals-external-changes").to_owned()
    }

    /// The bytes that changed.
    fn selection(&self, _: &ViewCx<'_>) -> Option<CellName> {
        let row = self.row_under_cursor()?;
        Some(CellName::Memory(row.address.to_string(), row.bytes.len() as u64))
    }

    fn selection_at(&self, _: &ViewCx<'_>) -> Option<Position> {
        Some(self.row_under_cursor()?.position)
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            *self.state = ExternalsState::default();
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if cx.desk.session.index.info().external_changes == 0 {
            let title = so_far(&cx.desk.session, say!("externals-no-external-changes"));
            let words = EmptyWords(&title, say!("externals-every-read-agrees-with-the"));
            return empty_ui(ui, &pen, rect, icons::CHECK, words);
        }
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.bar_ui(ui, bar, &pen, cx, out);
        let asked = Asked { from: self.state.from, limit: self.state.limit };
        let mut slot = std::mem::take(&mut self.state.answer);
        let answer = slot.poll(&asked, &cx.desk.worker, |Asked { from, limit }| {
            let (from, limit, session) = (*from, *limit, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| external_rows(&session, from, limit, cancel).map(Arc::new)
        });
        let place = AnswerPlace { pen: &pen, rect: rest };
        place.ui(ui, &answer, out, |ui, pen, rows, out| {
            let rows = self.in_order(rows);
            self.list_ui(ui, rest, ChangesView { pen, rows: &rows }, cx, out);
        });
        if slot.is_waiting() {
            watch_for_late(ui);
        }
        self.state.answer = slot;
    }
}
