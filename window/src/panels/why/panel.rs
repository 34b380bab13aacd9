//! The panel that explains why a cell has its value.

use egui::{Rect, Ui};
use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::bar::SliceBar;
use super::columns::{SliceColumns, SliceInView as InView};
use super::rows::SliceRows;
use crate::panels::PanelContext;
use crate::panels::asked::RowInput;
use crate::panels::cursor_list::{CursorList, ListExtent, take_rect};
use crate::panels::kept_menu::KeptMenu;
use crate::panels::keys::PanelKey;
use crate::panels::panel::Panel;
use crate::panels::pen::Pen;
use crate::panels::row::{EmptyMessage, empty_ui, error_ui, loading_ui};
use crate::theme::icons;
use stepback_debugger::action::{Action, CellName, PanelKind, SliceView, WindowId};
use stepback_debugger::desk::SliceState;
use stepback_debugger::messages::say;
use stepback_debugger::model::slice::SliceLines;
use stepback_debugger::notes::SavedSlice;
use stepback_debugger::views::{PanelView, RowGesture, RowListing, ViewStatus, WhyView};

/// Height of the column heads.
const HEAD: f32 = 20.0;

/// The panel "Why".
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WhyPanel {
    pub view: WhyView,
    #[serde(skip)]
    state: Box<WhyState>,
}

#[derive(Debug, Default)]
struct WhyState {
    list: CursorList,
    menu: KeptMenu,
    /// Number of the query that is shown.
    number: u64,
    /// Position to which the cursor was last moved.
    position: Option<Position>,
    /// The panel was drawn.
    was_seen: bool,
}

impl WhyPanel {
    /// Creates a panel that shows a saved slice.
    pub fn of(kept: SavedSlice) -> Self {
        Self {
            view: WhyView::of(kept),
            ..Self::default()
        }
    }

    /// Saved slice that is shown; none until the panel is first in view.
    pub fn own(&self) -> Option<&SavedSlice> {
        self.view.own().filter(|_| self.state.was_seen)
    }

    /// Chooses the arrangement of the rows.
    pub fn choose_view(&mut self, view: SliceView) {
        if self.view.view() != view {
            self.view.choose(view);
            self.state.list = CursorList::default();
        }
    }

    /// Draws the reason why there are no rows.
    fn without_rows_ui(
        &self,
        ui: &Ui,
        pen: &Pen<'_>,
        rect: Rect,
        words: &str,
        cx: &PanelContext<'_>,
    ) {
        let is_awaited = |state: &SliceState| state.is_awaited(&cx.desk.session);
        let state = self.view.slice_state(cx.desk);
        let is_coming = |state: &SliceState| {
            state.slice().is_some() || (state.is_under_way() && !is_awaited(state))
        };
        match state.is_none_or(is_coming) {
            true => loading_ui(pen, rect),
            false => empty_ui(
                ui,
                pen,
                rect,
                icons::WHY,
                EmptyMessage(words, say!("slice-close-or-ask")),
            ),
        }
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        rows: &RowListing,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let (head, list) = rect.split_top_bottom_at_y(rect.top() + HEAD);
        let place = ListExtent {
            rows: rows.count,
            list,
        };
        let at = cx.desk.windows.active().position;
        // If several lines are about the step, the cursor stays on its line.
        let is_elsewhere = !self.view.is_here(self.state.list.cursor, cx.desk);
        let marked = rows
            .marked
            .filter(|_| self.state.position != Some(at) && is_elsewhere);
        if let Some(marked) = marked {
            self.state.list.go_to(marked.row, rows.count, list);
        }
        self.state.position = Some(at);
        for (key, row) in self.state.list.keys(ui, &mut self.view, place, cx, out) {
            if key == PanelKey::ShowMemory {
                self.view.act(row, RowGesture::GoOn, cx.desk, out);
            }
        }
        let area = self.state.list.area(ui, list, rows.count, cx.tok);
        let Some(SliceLines {
            slice, view, lines, ..
        }) = self.view.shown()
        else {
            return;
        };
        let seen = area.places().filter_map(|(place, _)| lines.get(place));
        let columns = SliceColumns::new(area.body, InView { slice, view: *view }, seen);
        columns.heads(&Pen::new(ui, head, cx.tok), head);
        let (pen, cursor) = (Pen::new(ui, area.body, cx.tok), self.state.list.cursor);
        let shown = SliceRows {
            pen,
            cx,
            columns,
            why: &self.view,
            slice,
            cursor,
        };
        let mut touched = RowInput::default();
        for (place, rect) in area.places() {
            shown.row_ui(ui, rect, place, &mut touched, out);
        }
        touched.apply(&mut self.view, &mut self.state.list, cx.desk, out);
    }
}

impl Panel for WhyPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Why
    }

    fn title(&self) -> String {
        self.view.own().map_or_else(
            || say!("slice-why-title").to_owned(),
            |kept| kept.name.clone(),
        )
    }

    fn leave_trace(&mut self) {
        self.view.forget();
        *self.state = WhyState::default();
    }

    /// Returns the result of the row under the cursor.
    fn selection(&self, cx: &PanelContext<'_>) -> Option<CellName> {
        self.view.cell_at(self.state.list.cursor, cx.desk)?;
        self.view.cell(self.state.list.cursor, cx.desk)
    }

    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        self.view.cell(self.state.list.cursor, cx.desk)?;
        self.view.cell_at(self.state.list.cursor, cx.desk)
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if !std::mem::replace(&mut self.state.was_seen, true) && self.view.own().is_some() {
            // Its query runs with the next frame.
            ui.ctx().request_repaint();
        }
        let number = self.view.number(cx.desk);
        if self.state.number != number {
            (self.state.number, self.state.list, self.state.position) =
                (number, CursorList::default(), None);
        }
        let Some(question) = self.view.question(cx.desk).cloned() else {
            let words = EmptyMessage(
                say!("slice-nothing-asked"),
                say!("slice-nothing-asked-advice"),
            );
            return empty_ui(ui, &pen, rect, icons::WHY, words);
        };
        let state = self.view.slice_state(cx.desk);
        let bar = SliceBar {
            pen: &pen,
            cx,
            question: &question,
            state,
            is_own: self.view.own().is_some(),
        };
        let did = bar.ui(ui, rect, &mut self.state.menu, self.view.view(), out);
        if let Some(view) = did.view {
            self.choose_view(view);
        }
        if did.wants_stop {
            self.view.stop(out);
        }
        if did.wants_more {
            self.view.follow_more(out);
        }
        match self.view.poll(cx.desk) {
            ViewStatus::Rows(rows) => self.rows_ui(ui, did.rest, &rows, cx, out),
            ViewStatus::Failed(error) => error_ui(ui, &pen, did.rest, &error, out),
            ViewStatus::Loading(words) => self.without_rows_ui(ui, &pen, did.rest, &words, cx),
            ViewStatus::Empty { title, .. } => {
                let words = EmptyMessage(&title, say!("slice-close-or-ask"));
                empty_ui(ui, &pen, did.rest, icons::WHY, words);
            }
        }
    }
}
