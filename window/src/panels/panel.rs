//! What every kind of panel does.

use egui::Ui;
use stepback_parsers::Position;

use super::PanelContext;
use super::thread::ChosenThread;
use stepback_debugger::action::{Action, CellName, Follow, PanelKind, WindowId};

/// What stands in a tile of the dock. A panel that shows no one moment leaves out all about following.
pub trait Panel {
    /// One of a kind: the list of steps is that of a window, all others follow the active one.
    fn make(kind: PanelKind, window: WindowId) -> Self
    where
        Self: Sized;

    /// Its kind: what it is called and by which key it is shown stands in [`PANELS`](stepback_debugger::keymap::PANELS).
    fn kind(&self) -> PanelKind;

    /// The name on its tab.
    fn title(&self) -> String;

    /// What it shows the state at; none for a panel that shows no one moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Whether it can show one moment for good.
    fn is_pinnable(&self) -> bool {
        false
    }

    /// Binds it to a window or a moment, where it can.
    fn bind(&mut self, _follow: Follow) {}

    /// The trace window that it is the list of steps of: its tab has that window's number and colour.
    fn window(&self) -> Option<WindowId> {
        None
    }

    /// Whether it has a cursor on registers or memory: the keys of such panels count in it.
    fn has_cells(&self) -> bool {
        false
    }

    /// Shows a thread by its name, where it can; none: that of the position.
    fn choose_thread(&mut self, _thread: ChosenThread) {}

    /// Another trace is open than the one that its settings were made in: gives up what means nothing there.
    fn leave_trace(&mut self) {}

    /// The cell under its cursor.
    fn selection(&self, _cx: &PanelContext<'_>) -> Option<CellName> {
        None
    }

    /// The position at which the cell under its cursor has the value that is shown; none: that of the active window.
    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        self.follow()
            .map(|follow| cx.desk.windows.position_of(follow))
    }

    /// Draws it.
    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>);
}
