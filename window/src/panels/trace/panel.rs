//! The list of steps, or the raw text of the trace.

use serde::{Deserialize, Serialize};

use super::head::TraceHead;
use super::hits::hits_bar_ui;
use super::menu::TraceContext;
use super::raw::RawList;
use super::raw_words::raw_bar_ui;
use super::steps::StepList;
use crate::panels::PanelContext;
use crate::panels::cursor_list::take_rect;
use crate::panels::panel::Panel;
use stepback_debugger::action::{Action, CellName, Follow, PanelAction, PanelKind, WindowId};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;

/// The trace as a list, with a position.
#[derive(Debug, Serialize, Deserialize)]
pub struct TracePanel {
    /// Trace window that is shown.
    pub window: WindowId,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<TraceState>,
}

#[derive(Debug, Default)]
struct TraceState {
    head: TraceHead,
    steps: StepList,
    raw: RawList,
}

impl TracePanel {
    /// Creates a list for a trace window.
    pub fn new(window: WindowId) -> Self {
        Self {
            window,
            session: SessionWatch::default(),
            state: Box::default(),
        }
    }

    /// Returns the number of rows that a page key moves by: those in view, less one for context.
    pub fn page_rows(&self) -> u64 {
        self.state.steps.page_rows().max(1)
    }

    /// Follows the scrolling of another window, in thousandths of a row.
    pub fn scroll_along(&mut self, way_in_thousandths: i64) {
        self.state.steps.scroll_along(way_in_thousandths);
    }
}

impl Panel for TracePanel {
    fn make(_: PanelKind, window: WindowId) -> Self {
        Self::new(window)
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Trace
    }

    fn title(&self) -> String {
        say!("trace-trace").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(Follow::Window(self.window))
    }

    fn bind(&mut self, follow: Follow) {
        if let Follow::Window(window) = follow {
            self.window = window;
        }
    }

    fn window(&self) -> Option<WindowId> {
        Some(self.window)
    }

    /// Returns the cell for "last write": the first cell that the step before the position changed.
    fn selection(&self, cx: &PanelContext<'_>) -> Option<CellName> {
        let step = cx.desk.windows.get(self.window)?.position.last_step()?;
        let row = self.state.steps.row_of(step)?;
        let changed = row
            .effects
            .iter()
            .find(|effect| !effect.is_read && effect.cell.is_some());
        let written = || {
            row.operands
                .written
                .first()
                .map(|name| CellName::Register(name.clone()))
        };
        changed
            .and_then(|effect| effect.cell.clone())
            .or_else(written)
    }

    fn ui(&mut self, ui: &mut egui::Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            *self.state = TraceState::default();
        }
        let window = cx.desk.windows.followed(self.window);
        let rect = take_rect(ui);
        let is_pressed =
            ui.input(|input| input.pointer.any_pressed()) && ui.rect_contains_pointer(rect);
        if is_pressed && cx.desk.windows.active != window.id {
            out.push(Action::Panel(PanelAction::Activate(window.id)));
        }
        let list = self.state.head.ui(ui, rect, cx, window, out);
        if window.is_raw {
            self.state.steps.stay();
            let list = raw_bar_ui(ui, list, TraceContext { cx, window }, out);
            self.state.raw.ui(ui, list, cx, window, out);
        } else {
            let is_filtered = window.only_hits.is_on;
            let list = if is_filtered {
                hits_bar_ui(ui, list, TraceContext { cx, window }, out)
            } else {
                list
            };
            self.state.steps.ui(ui, list, cx, window, out);
        }
    }
}
