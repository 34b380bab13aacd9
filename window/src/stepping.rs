//! What moves by steps have to know of the window: the rows of a page, the panels that scroll along.

use egui_tiles::Tile;

use super::app::App;
use super::workspace::Workspace;
use crate::panels::{Pane, Panel as _};
use stepback_debugger::action::{PanelId, Way, WindowId};
use stepback_debugger::desk::thread_named;
use stepback_debugger::model::{Move, Stride};

impl Workspace {
    /// Rows that a page of the active window has.
    pub fn page_rows(&self) -> u64 {
        let rows = self.trace_tile(self.windows.active).and_then(|tile| match self.dock.tiles.get_pane(&tile) {
            Some(Pane::Trace(panel)) => Some(panel.page_rows()),
            _ => None,
        });
        // Before the first frame the number of rows is not known.
        rows.filter(|rows| *rows > 0).unwrap_or(20)
    }

    /// All trace windows but one scroll as far as that was scrolled.
    pub(super) fn scroll_along(&mut self, led: WindowId, way: i64) {
        for tile in self.dock.tiles.tiles_mut() {
            match tile {
                Tile::Pane(Pane::Trace(panel)) if panel.window() != Some(led) => panel.scroll_along(way),
                _ => {}
            }
        }
    }
}

impl App {
    pub(super) fn choose_thread(&mut self, tile: PanelId, thread: Option<String>) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        match thread.as_deref().map(|name| thread_named(&workspace.session, name)) {
            Some(Err(error)) => self.report(&error),
            Some(Ok(_)) | None => workspace.choose_thread(tile, thread),
        }
    }

    pub(super) fn turn_page(&mut self, way: Way) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let rows = workspace.page_rows();
        workspace.begin(Move::Step(Stride::Page(rows), way));
    }
}
