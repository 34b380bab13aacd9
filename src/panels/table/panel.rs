//! Lists of what was found in the trace: all accesses of some memory, the blocks of the heap, the busiest pages,
//! the functions that took most.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_index::{Cancel, Heap};
use stepback_parsers::Position;

use super::kind::TableKind;
use super::rows::{TableRows, act};
use crate::action::{Action, CellName, PanelKind, WindowId};
use crate::analysis::heap::{has_heap, heap};
use crate::model::access_table::{AccessQuestion, access_table};
use crate::model::function_table::function_table;
use crate::model::heap_table::heap_table;
use crate::model::heat_table::heat_table;
use crate::model::table::{Table, View};
use crate::panels::ViewCx;
use crate::panels::cursor_list::{AnswerPlace, CursorList, take_rect};
use crate::panels::field::Field;
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyWords, button_response, empty_ui, error_ui, loading_ui, watch_for_late};
use crate::panels::watch::SessionWatch;
use crate::theme::{icons, ui as ui_font};
use crate::worker::{Answer, Slot};

/// The bar with the count.
const BAR: f32 = 30.0;
/// The heads of the columns.
const HEAD: f32 = 20.0;

/// The field for the text of rows.
const FILTER: f32 = 140.0;

/// A list.
#[derive(Debug, Serialize, Deserialize)]
pub struct TablePanel {
    /// What it lists.
    pub kind: TableKind,
    /// What of it is shown, and in which order.
    #[serde(default)]
    view: View,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<TableState>,
}

#[derive(Debug, Default)]
struct TableState {
    /// Which accesses.
    accesses: Option<AccessQuestion>,
    /// All blocks, asked once a trace.
    heap: Slot<(), Arc<Heap>>,
    answer: Slot<Question, Arc<Table>>,
    /// What the view shows of an answer.
    seen: Option<Seen>,
    list: CursorList,
}

/// A table as a view shows it: no frame goes through all rows.
#[derive(Debug)]
struct Seen {
    of: Arc<Table>,
    view: View,
    table: Arc<Table>,
}

/// What a list is asked for with.
#[derive(Clone, Debug, PartialEq)]
enum Question {
    Accesses(AccessQuestion),
    Heap(Arc<Heap>, Position),
    Heat,
    Functions,
}

/// The list that is shown.
pub struct TableView<'a> {
    pub pen: &'a Pen<'a>,
    pub table: &'a Table,
}

impl TablePanel {
    /// A list of a kind.
    pub fn new(kind: TableKind) -> Self {
        let (view, session, state) = Default::default();
        Self { kind, view, session, state }
    }

    /// Lists accesses.
    pub fn ask(&mut self, question: AccessQuestion) {
        self.state.accesses = Some(question);
        self.state.list = CursorList::default();
    }

    /// What to ask; none where the user has to say it first. The error is that of the heap, none while that is read.
    fn question(&mut self, cx: &ViewCx<'_>) -> Result<Option<Question>, Option<String>> {
        match self.kind {
            TableKind::Accesses => Ok(self.state.accesses.clone().map(Question::Accesses)),
            TableKind::Heat => Ok(Some(Question::Heat)),
            TableKind::Functions => Ok(Some(Question::Functions)),
            TableKind::Heap => {
                let answer = self.state.heap.poll_long(&(), cx.worker, |()| {
                    let session = Arc::clone(cx.session);
                    move |cancel: &Cancel| {
                        let functions = session.companions.functions.as_ref();
                        Ok(Arc::new(heap(&session.index, functions, cancel)?))
                    }
                });
                match answer {
                    Answer::Failed(error) => Err(Some(error.to_owned())),
                    answer => {
                        let blocks = answer.any().ok_or(None)?;
                        Ok(Some(Question::Heap(Arc::clone(blocks), cx.windows.active().position)))
                    }
                }
            }
        }
    }

    fn seen(&mut self, table: &Arc<Table>) -> Arc<Table> {
        let known = self.state.seen.as_ref().filter(|seen| Arc::ptr_eq(&seen.of, table) && seen.view == self.view);
        if let Some(seen) = known {
            return Arc::clone(&seen.table);
        }
        let seen = Arc::new(table.seen(&self.view));
        self.state.seen = Some(Seen { of: Arc::clone(table), view: self.view.clone(), table: Arc::clone(&seen) });
        seen
    }

    fn table_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        TableView { pen, table }: TableView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.bar_ui(ui, bar, pen, &table.summary, cx);
        if table.rows.is_empty() && !self.view.filter.is_empty() {
            let words = EmptyWords("No row holds the text", "Take something out of the field above.");
            return empty_ui(ui, pen, rest, icons::SEARCH, words);
        }
        if table.rows.is_empty() {
            return empty_ui(ui, pen, rest, self.kind.icon(), EmptyWords(&table.summary, self.kind.nothing_found()));
        }
        let (head, list) = rest.split_top_bottom_at_y(rest.top() + HEAD);
        self.keys(ui, table, list, cx, out);
        let area = self.state.list.area(ui, list, table.rows.len(), cx.tok);
        let head_pen = Pen { painter: pen.painter.with_clip_rect(head), tok: cx.tok };
        let pen = Pen { painter: pen.painter.with_clip_rect(area.body), tok: cx.tok };
        let shown =
            TableRows { pen, cx, kind: self.kind, table, cursor: self.state.list.cursor, right: area.body.right() };
        if let Some(column) = shown.heads_ui(ui, &head_pen, head, &self.view) {
            self.view = View {
                is_falling: if self.view.column == Some(column) {
                    !self.view.is_falling
                } else {
                    table.is_counted(column)
                },
                column: Some(column),
                ..std::mem::take(&mut self.view)
            };
        }
        for (place, rect) in area.places() {
            if shown.row_ui(ui, rect, place, out) {
                self.state.list.cursor = place;
            }
        }
    }

    /// What is listed, and for accesses where the list begins.
    fn bar_ui(&mut self, ui: &mut Ui, bar: Rect, pen: &Pen<'_>, summary: &str, cx: &ViewCx<'_>) {
        let (tok, y) = (cx.tok, bar.center().y);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let mut right = bar.right() - 8.0;
        if bar.width() > 2.0 * FILTER {
            let field = Rect::from_min_max(pos2(right - FILTER, y - 11.0), pos2(right, y + 11.0));
            let filter = Field { hint: "Filter", icon: icons::SEARCH };
            if filter.ui(ui, pen, field, &mut self.view.filter).changed() {
                self.state.list = CursorList::default();
            }
            right = field.left() - 8.0;
        }
        if let Some(question) = &mut self.state.accesses {
            let (label, to) = match question.from {
                Position(0) => ("List from the position", cx.windows.active().position),
                _ => ("List from the start", Position(0)),
            };
            let width = pen.width(label, ui_font(12.0)) + 12.0;
            let button = Rect::from_min_max(pos2(right - width, y - 10.0), pos2(right, y + 10.0));
            let response = button_response(ui, button, "from", label);
            if response.hovered() {
                pen.painter.rect_filled(button, 4.0, tok.bg3);
            }
            pen.text(button.left() + 6.0, y, label, ui_font(12.0), tok.accent);
            if response.clicked() {
                question.from = to;
                self.state.list = CursorList::default();
            }
            right = button.left() - 8.0;
        }
        pen.cut_text(pos2(bar.left() + INSET, y), summary, ui_font(12.0), tok.t2, right);
    }

    fn keys(&mut self, ui: &Ui, table: &Table, list: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            let Some(row) = table.rows.get(self.state.list.press(key, table.rows.len(), list)) else { continue };
            match key {
                PanelKey::Enter if matches!(self.kind, TableKind::Accesses | TableKind::Functions) => act(row, cx, out),
                PanelKey::Enter | PanelKey::ShowMemory => {
                    out.extend(row.address.map(|address| Action::ShowMemory(address.to_string())));
                }
                PanelKey::Copy => out.push(Action::Copy(row.line())),
                _ => {}
            }
        }
    }
}

impl Panel for TablePanel {
    fn make(kind: PanelKind, _: WindowId) -> Self {
        Self::new(TableKind::of(kind))
    }

    fn kind(&self) -> PanelKind {
        self.kind.panel()
    }

    fn title(&self) -> String {
        self.kind.title().to_owned()
    }

    /// The memory of the row under the cursor.
    fn selection(&self, _: &ViewCx<'_>) -> Option<CellName> {
        let (_, table) = self.state.answer.peek()?;
        let address = table.rows.get(self.state.list.cursor)?.address?;
        Some(CellName::Memory(address.to_string(), 1))
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        // What was asked before the first frame is asked of this trace.
        if self.session.is_new(cx.session) {
            let accesses = self.state.accesses.take().filter(|_| self.state.answer.peek().is_none());
            *self.state = TableState { accesses, ..TableState::default() };
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if self.kind == TableKind::Heap && !has_heap(cx.session.companions.functions.as_ref()) {
            return empty_ui(ui, &pen, rect, self.kind.icon(), self.kind.nothing_asked());
        }
        let question = match self.question(cx) {
            Ok(Some(question)) => question,
            Ok(None) => return empty_ui(ui, &pen, rect, self.kind.icon(), self.kind.nothing_asked()),
            Err(None) => return loading_ui(&pen, rect),
            Err(Some(error)) => return error_ui(ui, &pen, rect, &error, out),
        };
        let mut slot = std::mem::take(&mut self.state.answer);
        let answer = slot.poll_long(&question, cx.worker, |question| {
            let (question, session) = (question.clone(), Arc::clone(cx.session));
            move |cancel: &Cancel| match &question {
                Question::Accesses(question) => access_table(&session, question, cancel).map(Arc::new),
                Question::Heap(heap, at) => heap_table(&session, heap, *at, cancel).map(Arc::new),
                Question::Heat => heat_table(&session, cancel).map(Arc::new),
                Question::Functions => function_table(&session, cancel).map(Arc::new),
            }
        });
        let place = AnswerPlace { pen: &pen, rect };
        place.ui(ui, &answer, out, |ui, pen, table, out| {
            let table = &*self.seen(table);
            self.table_ui(ui, rect, TableView { pen, table }, cx, out);
        });
        if slot.is_waiting() || self.state.heap.is_waiting() {
            watch_for_late(ui);
        }
        self.state.answer = slot;
    }
}
