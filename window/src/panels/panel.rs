//! The trait of all panels.

use egui::Ui;
use stepback_parsers::Position;

use super::PanelContext;
use super::thread::ChosenThread;
use stepback_debugger::action::{Action, CellName, Follow, PanelKind, WindowId};

/// A panel in a tile of the dock. The defaults suit a panel that shows no single moment.
pub trait Panel {
    /// Creates a panel of a kind. The list of steps belongs to `window`; all others follow the
    /// active window.
    fn make(kind: PanelKind, window: WindowId) -> Self
    where
        Self: Sized;

    /// Kind of the panel. Its name and key are in [`PANELS`](stepback_debugger::keymap::PANELS).
    fn kind(&self) -> PanelKind;

    /// Name on the tab.
    fn title(&self) -> String;

    /// Window or moment whose state is shown; none for a panel that shows no single moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Returns true if the panel can be pinned to one moment.
    fn is_pinnable(&self) -> bool {
        false
    }

    /// Binds the panel to a window or a moment, if it can be bound.
    fn bind(&mut self, _follow: Follow) {}

    /// Trace window whose steps the panel lists. The tab has that window's number and colour.
    fn window(&self) -> Option<WindowId> {
        None
    }

    /// Returns true if the panel has a cursor on registers or memory: the keys of such panels apply
    /// to it.
    fn has_cells(&self) -> bool {
        false
    }

    /// Shows a thread by its name; none: the thread at the position.
    fn choose_thread(&mut self, _thread: ChosenThread) {}

    /// Drops the settings that are meaningless in another trace. Called after another trace was
    /// opened.
    fn leave_trace(&mut self) {}

    /// Cell under the cursor.
    fn selection(&self, _cx: &PanelContext<'_>) -> Option<CellName> {
        None
    }

    /// Position at which the cell under the cursor has the value that is shown; none: that of the
    /// active window.
    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        self.follow()
            .map(|follow| cx.desk.windows.position_of(follow))
    }

    /// Draws the panel.
    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>);
}
