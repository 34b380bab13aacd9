//! Panels that consist only of a list.
//!
//! Lists of accesses, of effects and about memory (heap blocks, pages, regions, the stack, tasks)
//! are saved under one name and are one [`TablePanel`]; every other list is a [`ListPanel`] of its
//! source.

use egui::Ui;
use serde::{Deserialize, Serialize, Serializer};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, CellName, PanelKind};
use stepback_debugger::desk::{Desk, SessionWatch};
use stepback_debugger::messages::say;
use stepback_debugger::model::access_table::AccessGrouping;
use stepback_debugger::model::table::TableArrangement as Filter;
use stepback_debugger::views::{
    AccessTable, EffectsTable, MemoryTable, PanelView, TableSource, TableView,
};
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::cursor_list::take_rect;
use crate::panels::panel::Panel;
use crate::panels::pen::Pen;
use crate::panels::row::FocusRequest;
use crate::panels::table::access_bar;
use crate::panels::table::access_bar::AccessBar;
use crate::panels::table::list::RowList;
use crate::panels::table::table_ui::TableUi;

/// A list of one of these kinds.
#[derive(Deserialize)]
#[serde(from = "SavedTable")]
pub struct TablePanel {
    state: Box<TableState>,
}

struct TableState {
    lists: TableViews,
    session: SessionWatch,
    bar: AccessBar,
    list: RowList,
}

/// The view of the list, by its source.
enum TableViews {
    Accesses(TableView<AccessTable>),
    Effects(TableView<EffectsTable>),
    Memory(TableView<MemoryTable>),
}

/// Evaluates an expression with the view of any list.
macro_rules! with_view {
    ($lists:expr, $view:ident => $act:expr) => {
        match $lists {
            TableViews::Accesses($view) => $act,
            TableViews::Effects($view) => $act,
            TableViews::Memory($view) => $act,
        }
    };
}

/// The form of a list in saved layouts.
#[derive(Serialize, Deserialize)]
struct SavedTable {
    kind: PanelKind,
    #[serde(default)]
    view: Filter,
    #[serde(default)]
    arrangement: AccessGrouping,
}

impl From<SavedTable> for TablePanel {
    fn from(
        SavedTable {
            kind,
            view,
            arrangement,
        }: SavedTable,
    ) -> Self {
        let lists = match kind {
            PanelKind::Accesses => TableViews::Accesses(TableView::with_shown(
                AccessTable::arranged(arrangement),
                view,
            )),
            PanelKind::Effects => {
                TableViews::Effects(TableView::with_shown(EffectsTable::default(), view))
            }
            kind => TableViews::Memory(TableView::with_shown(MemoryTable::of(kind), view)),
        };
        let (session, bar, list) = Default::default();
        Self {
            state: Box::new(TableState {
                lists,
                session,
                bar,
                list,
            }),
        }
    }
}

impl Serialize for TablePanel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let arrangement = match &self.state.lists {
            TableViews::Accesses(view) => view.source().arrangement(),
            TableViews::Effects(_) | TableViews::Memory(_) => AccessGrouping::default(),
        };
        let view = with_view!(&self.state.lists, view => view.shown().clone());
        SavedTable {
            kind: self.kind(),
            view,
            arrangement,
        }
        .serialize(serializer)
    }
}

impl TablePanel {
    /// Lists the subject of an action.
    pub fn take(&mut self, action: &Action, desk: &Desk) {
        // An action before the first frame refers to the open trace, so the view is prepared for it
        // first.
        self.state.look(desk);
        if with_view!(&mut self.state.lists, view => view.take(action, desk)) {
            self.state.list.rewind();
        }
    }
}

impl TableState {
    /// Drops state that is meaningless in another trace.
    fn look(&mut self, desk: &Desk) {
        if self.session.is_new(&desk.session) {
            with_view!(&mut self.lists, view => view.forget());
            let focus = self.bar.focus;
            (self.bar, self.list) = Default::default();
            self.bar.focus = focus;
        }
    }

    /// Returns advice if the user must first choose the subject of the list.
    fn how_to_ask(&self) -> Option<&'static str> {
        match &self.lists {
            TableViews::Accesses(view) if view.source().question().is_none() => {
                Some(say!("table-type-above-or-right-click"))
            }
            TableViews::Effects(view) if view.source().of().is_none() => {
                Some(say!("table-choose-a-call-or-steps"))
            }
            _ => None,
        }
    }
}

impl Panel for TablePanel {
    fn focus_field(&mut self) {
        self.state.bar.focus = FocusRequest::Wanted;
    }

    fn make(kind: PanelKind, _: WindowId) -> Self {
        SavedTable {
            kind,
            view: Filter::default(),
            arrangement: AccessGrouping::default(),
        }
        .into()
    }

    fn kind(&self) -> PanelKind {
        with_view!(&self.state.lists, view => view.kind())
    }

    fn title(&self) -> String {
        with_view!(&self.state.lists, view => view.source().tab_title())
    }

    /// Returns the memory of the row under the cursor. For accesses it is the listed cell, even if
    /// the list is empty.
    fn selection(&self, cx: &PanelContext<'_>) -> Option<CellName> {
        match &self.state.lists {
            TableViews::Accesses(view) => view.source().listed_cell(),
            lists => with_view!(lists, view => view.cell(self.state.list.cursor(), cx.desk)),
        }
    }

    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        with_view!(&self.state.lists, view => view.cell_at(self.state.list.cursor(), cx.desk))
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        self.state.look(cx.desk);
        let mut rect = take_rect(ui);
        let pen = &Pen::new(ui, rect, cx.tok);
        let TableState {
            lists, bar, list, ..
        } = &mut *self.state;
        if let TableViews::Accesses(view) = lists {
            let (head, rest) = rect.split_top_bottom_at_y(rect.top() + access_bar::BAR);
            if let Some(question) = bar.ui(ui, pen, head, cx, view.source()) {
                view.ask(question);
                list.rewind();
            }
            rect = rest;
        }
        let how_to_ask = self.state.how_to_ask();
        let TableState { lists, list, .. } = &mut *self.state;
        with_view!(lists, view => TableUi { view, list, pen, rect, how_to_ask }.ui(ui, cx, out));
    }
}

/// A list of a source. Filter and sort order are saved.
#[derive(Default, Serialize, Deserialize)]
#[serde(
    default,
    bound(serialize = "", deserialize = "S: TableSource + Default")
)]
pub struct ListPanel<S> {
    view: TableView<S>,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    list: RowList,
}

impl<S: TableSource + Default> Panel for ListPanel<S> {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        self.view.kind()
    }

    fn title(&self) -> String {
        self.view.source().tab_title()
    }

    fn selection(&self, cx: &PanelContext<'_>) -> Option<CellName> {
        self.view.cell(self.list.cursor(), cx.desk)
    }

    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        self.view.cell_at(self.list.cursor(), cx.desk)
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            self.view.forget();
            self.list.rewind();
        }
        let rect = take_rect(ui);
        let pen = &Pen::new(ui, rect, cx.tok);
        let Self { view, list, .. } = self;
        TableUi {
            view,
            list,
            pen,
            rect,
            how_to_ask: None,
        }
        .ui(ui, cx, out);
    }
}
