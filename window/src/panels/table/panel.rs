//! Lists of what was found in the trace: all accesses of some memory, the blocks of the heap, the busiest pages.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_index::{Cancel, Heap};
use stepback_parsers::Position;

use super::access_bar::{self, AccessBar};
use super::export::{Export, ListTools};
use super::kind::TableKind;
use super::list::{RowList, TableView};
use super::rows::row_cell;
use crate::panels::ViewCx;
use crate::panels::cursor_list::{AnswerPlace, take_rect};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyWords, empty_ui, error_ui, loading_ui, watch_for_late};
use crate::theme::ui as ui_font;
use stepback_debugger::action::{Action, CellName, EffectsOf, PanelKind, WindowId};
use stepback_debugger::analysis::heap::{has_heap, heap};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::desk::Stream;
use stepback_debugger::keymap::cell_name;
use stepback_debugger::model::access_table::{AccessQuestion, Arrangement, Listed, access_table};
use stepback_debugger::model::effects_table::effects_table;
use stepback_debugger::model::heap_table::heap_table;
use stepback_debugger::model::heat_table::heat_table;
use stepback_debugger::model::memory::{Runs, accessed_runs};
use stepback_debugger::model::regions::{Found, regions_table};
use stepback_debugger::model::stack_memory::stack_memory;
use stepback_debugger::model::table::{Table, TableRow, View};
use stepback_debugger::model::task_table::task_table;
use stepback_debugger::worker::{Answer, Slot};

/// How often the list grows while more is found.
const FOUND_AFTER: Duration = Duration::from_millis(120);
/// The bar with the count.
const BAR: f32 = 30.0;

/// A list.
#[derive(Debug, Serialize, Deserialize)]
pub struct TablePanel {
    /// What it lists.
    pub kind: TableKind,
    /// What of it is shown, and in which order.
    #[serde(default)]
    view: View,
    /// How accesses are arranged.
    #[serde(default)]
    arrangement: Arrangement,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<TableState>,
}

#[derive(Debug, Default)]
struct TableState {
    /// Which accesses.
    accesses: Option<AccessQuestion>,
    listed: Stream<AccessQuestion, Table>,
    bar: AccessBar,
    /// The steps of which it is told what they read and write.
    effects: Option<EffectsOf>,
    /// All blocks, asked once a trace.
    heap: Slot<(), Arc<Heap>>,
    /// What is accessed, of so many steps.
    runs: Slot<u64, Arc<Runs>>,
    answer: Slot<Question, Arc<Table>>,
    list: RowList,
}

/// What a list is asked for with.
#[derive(Clone, Debug, PartialEq)]
enum Question {
    Heap(Arc<Heap>, Position),
    Heat,
    /// Of so many steps.
    Tasks(u64),
    Regions(Option<Arc<Heap>>, Arc<Runs>, Position),
    StackMemory(Position),
    Effects(EffectsOf),
}

impl TablePanel {
    /// A list of a kind.
    pub fn new(kind: TableKind) -> Self {
        let (view, arrangement, session, state) = Default::default();
        Self { kind, view, arrangement, session, state }
    }

    /// Lists accesses.
    pub fn ask(&mut self, question: AccessQuestion) {
        self.state.accesses = Some(question);
        self.rewind();
    }

    /// Tells what steps read and write.
    pub fn tell_effects(&mut self, of: EffectsOf) {
        self.state.effects = Some(of);
        self.view.column = None;
        self.rewind();
    }

    /// Arranges accesses by call stacks, or by steps again.
    pub fn arrange_otherwise(&mut self) {
        self.arrangement = self.arrangement.other();
        // The columns are others.
        self.view.column = None;
        self.rewind();
    }

    /// Other rows come: from the first, with all groups closed.
    fn rewind(&mut self) {
        self.view.open.clear();
        self.state.list.rewind();
    }

    /// What to ask; none where the user has to say it first. The error is that of the heap, none while that is read.
    fn question(&mut self, cx: &ViewCx<'_>) -> Result<Option<Question>, Option<String>> {
        let here = cx.desk.windows.active().position;
        match self.kind {
            TableKind::Heat => Ok(Some(Question::Heat)),
            TableKind::Tasks => Ok(Some(Question::Tasks(cx.desk.session.index.step_count()))),
            TableKind::StackMemory => Ok(Some(Question::StackMemory(here))),
            TableKind::Effects => Ok(self.state.effects.map(Question::Effects)),
            TableKind::Regions if !has_heap(cx.desk.session.companions.functions.as_ref()) => {
                Ok(Some(Question::Regions(None, self.runs(cx)?, here)))
            }
            // Accesses come while they are found; panels of their own list the others.
            TableKind::Accesses | TableKind::Functions | TableKind::Find => Ok(None),
            TableKind::Heap | TableKind::Regions => {
                let answer = self.state.heap.poll_long(&(), &cx.desk.worker, |()| {
                    let session = Arc::clone(&cx.desk.session);
                    move |cancel: &Cancel| {
                        let functions = session.companions.functions.as_ref();
                        Ok(Arc::new(heap(&session.index, functions, cancel)?))
                    }
                });
                match answer {
                    Answer::Failed(error) => Err(Some(error.to_owned())),
                    answer => {
                        let blocks = answer.any().ok_or(None)?;
                        let blocks = Arc::clone(blocks);
                        Ok(Some(match self.kind {
                            TableKind::Regions => Question::Regions(Some(blocks), self.runs(cx)?, here),
                            _ => Question::Heap(blocks, here),
                        }))
                    }
                }
            }
        }
    }

    /// What the trace accesses, the same at all positions; an error as in [`Self::question`].
    fn runs(&mut self, cx: &ViewCx<'_>) -> Result<Arc<Runs>, Option<String>> {
        let answer = self.state.runs.poll_long(&cx.desk.session.index.step_count(), &cx.desk.worker, |_| {
            let session = Arc::clone(&cx.desk.session);
            move |cancel: &Cancel| Ok(Arc::new(accessed_runs(&session, cancel)?))
        });
        match answer {
            Answer::Failed(error) => Err(Some(error.to_owned())),
            answer => answer.any().cloned().ok_or(None),
        }
    }

    /// The accesses as far as they are found, below the bar that says of what.
    fn accesses_ui(&mut self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let (bar, rect) = rect.split_top_bottom_at_y(rect.top() + access_bar::BAR);
        self.state.accesses.iter_mut().for_each(|question| question.arrangement = self.arrangement);
        if self.state.bar.ui(ui, pen, bar, cx, &mut self.state.accesses) {
            self.rewind();
        }
        if self.state.accesses.as_ref().is_some_and(|question| question.arrangement != self.arrangement) {
            self.arrange_otherwise();
        }
        let Some(question) = self.state.accesses.clone() else {
            return empty_ui(ui, pen, rect, self.kind.icon(), self.kind.nothing_asked());
        };
        let mut stream = std::mem::take(&mut self.state.listed);
        let answer = stream.poll(&question, &cx.desk.worker, |question| {
            let (question, session) = (question.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel, publish: &mut dyn FnMut(Arc<Table>)| {
                access_table(&session, &question, cancel, publish)
            }
        });
        let place = AnswerPlace { pen, rect };
        place.ui(ui, &answer, out, |ui, pen, table, out| {
            let table = &*self.state.list.seen(table, &self.view);
            let (kind, nothing) = (self.kind, EmptyWords(&table.summary, self.kind.nothing_found()));
            self.table_ui(ui, &TableView { pen, kind, table, nothing, rect }, cx, out);
        });
        if stream.is_under_way() {
            ui.ctx().request_repaint_after(FOUND_AFTER);
        }
        self.state.listed = stream;
    }

    fn table_ui(&mut self, ui: &mut Ui, shown: &TableView<'_>, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let (bar, rest) = shown.rect.split_top_bottom_at_y(shown.rect.top() + BAR);
        self.bar_ui(ui, bar, shown, cx, out);
        self.state.list.ui(ui, &TableView { rect: rest, ..*shown }, &mut self.view, cx, out);
    }

    /// The table whose rows are seen as they are: the cursor counts these.
    fn plain_table(&self) -> Option<&Table> {
        let answered = self.state.listed.known().or_else(|| self.state.answer.peek().map(|(_, table)| table));
        answered.map(|table| &**table).filter(|_| self.view.is_plain())
    }

    fn row_under_cursor(&self) -> Option<&TableRow> {
        self.plain_table()?.rows.get(self.state.list.cursor())
    }

    /// What is listed, and what may be done with it.
    fn bar_ui(&mut self, ui: &mut Ui, bar: Rect, shown: &TableView<'_>, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let (pen, tok, y) = (shown.pen, cx.tok, bar.center().y);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let name = &self.kind.title().to_lowercase();
        let export = Export { pen, rows: &|| Cow::Borrowed(shown.table), name };
        let tools = ListTools { export, bar }.ui(ui, &mut self.view.filter, out);
        if tools.is_changed {
            self.state.list.rewind();
        }
        pen.cut_text(pos2(bar.left() + INSET, y), &shown.table.summary, ui_font(12.0), tok.t2, tools.left);
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
        if self.kind == TableKind::Accesses {
            // The list is about the cell that it was asked for, not about what else a row touches.
            return match &self.state.accesses.as_ref()?.listed {
                Listed::Cell(text) => cell_name(text).ok(),
                Listed::Code(_) => None,
            };
        }
        row_cell(self.kind, self.row_under_cursor()?, self.plain_table()?)
    }

    fn selection_at(&self, _: &ViewCx<'_>) -> Option<Position> {
        self.row_under_cursor()?.position
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        // What was asked before the first frame is asked of this trace.
        if self.session.is_new(&cx.desk.session) {
            let accesses = self.state.accesses.take().filter(|_| self.state.listed.known().is_none());
            let effects = self.state.effects.take().filter(|_| self.state.answer.peek().is_none());
            *self.state = TableState { accesses, effects, ..TableState::default() };
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if self.kind == TableKind::Heap && !has_heap(cx.desk.session.companions.functions.as_ref()) {
            return empty_ui(ui, &pen, rect, self.kind.icon(), self.kind.nothing_asked());
        }
        if self.kind == TableKind::Accesses {
            return self.accesses_ui(ui, &pen, rect, cx, out);
        }
        let question = match self.question(cx) {
            Ok(Some(question)) => question,
            Ok(None) => return empty_ui(ui, &pen, rect, self.kind.icon(), self.kind.nothing_asked()),
            Err(None) => return loading_ui(&pen, rect),
            Err(Some(error)) => return error_ui(ui, &pen, rect, &error, out),
        };
        let mut slot = std::mem::take(&mut self.state.answer);
        let answer = slot.poll_long(&question, &cx.desk.worker, |question| {
            let (question, session) = (question.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| match &question {
                Question::Heap(heap, at) => heap_table(&session, heap, *at, cancel).map(Arc::new),
                Question::Heat => heat_table(&session, cancel).map(Arc::new),
                Question::Tasks(_) => task_table(&session, cancel).map(Arc::new),
                Question::Regions(heap, runs, at) => {
                    let found = Found { heap: heap.as_deref(), runs };
                    regions_table(&session, found, *at, cancel).map(Arc::new)
                }
                Question::StackMemory(at) => stack_memory(&session, *at, cancel).map(Arc::new),
                Question::Effects(of) => effects_table(&session, *of, cancel).map(Arc::new),
            }
        });
        let place = AnswerPlace { pen: &pen, rect };
        place.ui(ui, &answer, out, |ui, pen, table, out| {
            let table = &*self.state.list.seen(table, &self.view);
            let (kind, nothing) = (self.kind, EmptyWords(&table.summary, self.kind.nothing_found()));
            self.table_ui(ui, &TableView { pen, kind, table, nothing, rect }, cx, out);
        });
        if slot.is_waiting() || self.state.heap.is_waiting() || self.state.runs.is_waiting() {
            watch_for_late(ui);
        }
        self.state.answer = slot;
    }
}
