//! Lists of what was found in the trace: all accesses of some memory, the blocks of the heap, the busiest pages.

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
use crate::model::heap_table::heap_table;
use crate::model::heat_table::heat_table;
use crate::model::table::Table;
use crate::panels::ViewCx;
use crate::panels::cursor_list::{AnswerPlace, CursorList, take_rect};
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyWords, button_response, empty_ui, error_ui, loading_ui, watch_for_late};
use crate::panels::watch::SessionWatch;
use crate::theme::ui as ui_font;
use crate::worker::{Answer, Slot};

/// The bar with the count.
const BAR: f32 = 30.0;
/// The heads of the columns.
const HEAD: f32 = 20.0;

/// A list.
#[derive(Debug, Serialize, Deserialize)]
pub struct TablePanel {
    /// What it lists.
    pub kind: TableKind,
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
    answer: Slot<Question, Table>,
    list: CursorList,
}

/// What a list is asked for with.
#[derive(Clone, Debug, PartialEq)]
enum Question {
    Accesses(AccessQuestion),
    Heap(Arc<Heap>, Position),
    Heat,
}

/// The list that is shown.
pub struct TableView<'a> {
    pub pen: &'a Pen<'a>,
    pub table: &'a Table,
}

impl TablePanel {
    /// A list of a kind.
    pub fn new(kind: TableKind) -> Self {
        let (session, state) = Default::default();
        Self { kind, session, state }
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
        shown.heads_ui(&head_pen, head);
        for (place, rect) in area.places() {
            if shown.row_ui(ui, rect, place, out) {
                self.state.list.cursor = place;
            }
        }
    }

    /// What is listed, and for accesses where the list begins.
    fn bar_ui(&mut self, ui: &Ui, bar: Rect, pen: &Pen<'_>, summary: &str, cx: &ViewCx<'_>) {
        let (tok, y) = (cx.tok, bar.center().y);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let mut right = bar.right() - 8.0;
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
                PanelKey::Enter if self.kind == TableKind::Accesses => act(row, cx, out),
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
                Question::Accesses(question) => access_table(&session, question, cancel),
                Question::Heap(heap, at) => heap_table(&session, heap, *at, cancel),
                Question::Heat => heat_table(&session, cancel),
            }
        });
        let place = AnswerPlace { pen: &pen, rect };
        place.ui(ui, &answer, out, |ui, pen, table, out| self.table_ui(ui, rect, TableView { pen, table }, cx, out));
        if slot.is_waiting() || self.state.heap.is_waiting() {
            watch_for_late(ui);
        }
        self.state.answer = slot;
    }
}
