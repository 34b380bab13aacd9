//! Lists of what was found in the trace: all accesses of some memory, the blocks of the heap, the busiest pages.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize, Serializer};
use stepback_parsers::Position;

use super::access_bar::{self, AccessBar};
use super::export::{Export, ListTools};
use super::kind::{icon_of, title_of};
use super::list::{ListPlace, RowList};
use crate::panels::ViewCx;
use crate::panels::cursor_list::take_rect;
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyWords, empty_ui, error_ui, loading_ui, watch_for_late};
use crate::theme::ui as ui_font;
use stepback_debugger::action::{Action, CellName, PanelKind, WindowId};
use stepback_debugger::desk::{Desk, SessionWatch};
use stepback_debugger::messages::say;
use stepback_debugger::model::access_table::Arrangement;
use stepback_debugger::model::table::View as Filter;
use stepback_debugger::views::{AccessTable, EffectsTable, MemoryTable, Status, TableSource, TableView, View, Work};

/// How often the list grows while more is found.
const FOUND_AFTER: Duration = Duration::from_millis(120);
/// The bar with the count.
const BAR: f32 = 30.0;

/// A list.
#[derive(Deserialize)]
#[serde(from = "SavedTable")]
pub struct TablePanel {
    state: Box<TableState>,
}

struct TableState {
    lists: Lists,
    session: SessionWatch,
    bar: AccessBar,
    list: RowList,
}

/// The list by its source.
enum Lists {
    Accesses(TableView<AccessTable>),
    Effects(TableView<EffectsTable>),
    Memory(TableView<MemoryTable>),
}

/// Does the same with the view of any list.
macro_rules! with_view {
    ($lists:expr, $view:ident => $act:expr) => {
        match $lists {
            Lists::Accesses($view) => $act,
            Lists::Effects($view) => $act,
            Lists::Memory($view) => $act,
        }
    };
}

/// A list as layouts have it.
#[derive(Serialize, Deserialize)]
struct SavedTable {
    kind: PanelKind,
    #[serde(default)]
    view: Filter,
    #[serde(default)]
    arrangement: Arrangement,
}

impl From<SavedTable> for TablePanel {
    fn from(SavedTable { kind, view, arrangement }: SavedTable) -> Self {
        let lists = match kind {
            PanelKind::Accesses => Lists::Accesses(TableView::with_shown(AccessTable::arranged(arrangement), view)),
            PanelKind::Effects => Lists::Effects(TableView::with_shown(EffectsTable::default(), view)),
            kind => Lists::Memory(TableView::with_shown(MemoryTable::of(kind), view)),
        };
        let (session, bar, list) = Default::default();
        Self { state: Box::new(TableState { lists, session, bar, list }) }
    }
}

impl Serialize for TablePanel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let arrangement = match &self.state.lists {
            Lists::Accesses(view) => view.source().arrangement(),
            Lists::Effects(_) | Lists::Memory(_) => Arrangement::default(),
        };
        let view = with_view!(&self.state.lists, view => view.shown().clone());
        SavedTable { kind: self.kind(), view, arrangement }.serialize(serializer)
    }
}

impl TablePanel {
    /// Lists what an action asks for.
    pub fn take(&mut self, action: &Action, desk: &Desk) {
        // What is asked before the first frame is asked of this trace.
        self.state.look(desk);
        if with_view!(&mut self.state.lists, view => view.take(action, desk)) {
            self.state.list.rewind();
        }
    }
}

impl TableState {
    /// Gives up what means nothing in another trace.
    fn look(&mut self, desk: &Desk) {
        if self.session.is_new(&desk.session) {
            with_view!(&mut self.lists, view => view.forget());
            (self.bar, self.list) = Default::default();
        }
    }

    /// What to do where the user has to say first what is listed.
    fn how_to_ask(&self) -> Option<&'static str> {
        match &self.lists {
            Lists::Accesses(view) if view.source().question().is_none() => {
                Some(say!("table-type-above-or-right-click"))
            }
            Lists::Effects(view) if view.source().of().is_none() => Some(say!("table-choose-a-call-or-steps")),
            _ => None,
        }
    }
}

/// A list where it is drawn.
struct ListUi<'a, S> {
    view: &'a mut TableView<S>,
    list: &'a mut RowList,
    pen: &'a Pen<'a>,
    rect: Rect,
    how_to_ask: Option<&'static str>,
}

impl<S: TableSource> ListUi<'_, S> {
    fn ui(mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let Self { pen, rect, .. } = self;
        let status = self.view.poll(cx.desk);
        let work = self.view.source().work();
        match work {
            Work::Done => {}
            Work::Waiting | Work::Late => watch_for_late(ui),
            Work::Growing => ui.ctx().request_repaint_after(FOUND_AFTER),
        }
        let (title, advice) = match status {
            Status::Failed(error) => return error_ui(ui, pen, rect, &error, out),
            Status::Loading(_) => return loading_ui(pen, rect),
            Status::Empty { title, advice } => (title, advice),
            Status::Rows(_) => Default::default(),
        };
        if !self.view.is_answered() {
            let words = EmptyWords(&title, self.how_to_ask.unwrap_or(&advice));
            return empty_ui(ui, pen, rect, icon_of(self.view.kind()), words);
        }
        let pen = if work == Work::Late { pen.clone().faded() } else { pen.clone() };
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.bar_ui(ui, &pen, bar, out);
        let place = ListPlace { pen: &pen, nothing: EmptyWords(&title, &advice), rect: rest };
        self.list.ui(ui, &place, self.view, cx, out);
    }

    /// What is listed, and what may be done with it.
    fn bar_ui(&mut self, ui: &mut Ui, pen: &Pen<'_>, bar: Rect, out: &mut Vec<Action>) {
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, pen.tok.line);
        let (table, name) = (Arc::clone(self.view.table()), title_of(self.view.source()).to_lowercase());
        let export = Export { pen, rows: &|| Cow::Borrowed(&*table), name: &name };
        let tools = ListTools { export, bar }.ui(ui, self.view.filter_mut(), out);
        if tools.is_changed {
            self.list.rewind();
        }
        let start = pos2(bar.left() + INSET, bar.center().y);
        pen.cut_text(start, &table.summary, ui_font(12.0), pen.tok.t2, tools.left);
    }
}

impl Panel for TablePanel {
    fn make(kind: PanelKind, _: WindowId) -> Self {
        SavedTable { kind, view: Filter::default(), arrangement: Arrangement::default() }.into()
    }

    fn kind(&self) -> PanelKind {
        with_view!(&self.state.lists, view => view.kind())
    }

    fn title(&self) -> String {
        with_view!(&self.state.lists, view => title_of(view.source()))
    }

    /// The memory of the row under the cursor; the cell that is listed, whether it has rows or not.
    fn selection(&self, cx: &ViewCx<'_>) -> Option<CellName> {
        match &self.state.lists {
            Lists::Accesses(view) => view.source().listed_cell(),
            lists => with_view!(lists, view => view.cell(self.state.list.cursor(), cx.desk)),
        }
    }

    fn selection_at(&self, cx: &ViewCx<'_>) -> Option<Position> {
        with_view!(&self.state.lists, view => view.cell_at(self.state.list.cursor(), cx.desk))
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        self.state.look(cx.desk);
        let mut rect = take_rect(ui);
        let pen = &Pen::new(ui, rect, cx.tok);
        let TableState { lists, bar, list, .. } = &mut *self.state;
        if let Lists::Accesses(view) = lists {
            let (head, rest) = rect.split_top_bottom_at_y(rect.top() + access_bar::BAR);
            if let Some(question) = bar.ui(ui, pen, head, cx, view.source()) {
                view.ask(question);
                list.rewind();
            }
            rect = rest;
        }
        let how_to_ask = self.state.how_to_ask();
        let TableState { lists, list, .. } = &mut *self.state;
        with_view!(lists, view => ListUi { view, list, pen, rect, how_to_ask }.ui(ui, cx, out));
    }
}
