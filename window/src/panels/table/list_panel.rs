//! Panels that consist only of a list.

use egui::Ui;
use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::list::RowList;
use super::table_ui::TableUi;
use crate::panels::PanelContext;
use crate::panels::cursor_list::take_rect;
use crate::panels::panel::Panel;
use crate::panels::pen::Pen;
use stepback_debugger::action::{Action, CellName, PanelKind, WindowId};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::views::{PanelView, TableSource, TableView};

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
