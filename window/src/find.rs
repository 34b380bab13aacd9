//! Searches: what their actions do.

use egui_tiles::Tile;

use super::app::App;
use super::workspace::Workspace;
use crate::panels::Pane;
use stepback_debugger::action::{FindQuestion, PanelKind};
use stepback_debugger::desk::{FindState, SearchGround};
use stepback_debugger::worker::Worker;

impl Workspace {
    /// Looks for what panels of their own show. True while that is under way.
    pub(super) fn look_at_own_finds(&mut self, worker: &Worker) -> bool {
        for (_, tile) in self.dock.tiles.iter_mut() {
            if let Tile::Pane(Pane::Find(panel)) = tile
                && panel.take_stop()
                && let Some(kept) = panel.own()
            {
                self.desk.own_finds.stop(&kept.search);
            }
        }
        let own = self.dock.tiles.iter().filter_map(|(_, tile)| match tile {
            Tile::Pane(Pane::Find(panel)) => panel.own(),
            _ => None,
        });
        let wanted: Vec<FindQuestion> = own.map(|kept| kept.search.clone()).collect();
        let at = self.windows.active().position;
        let desk = &mut self.desk;
        desk.own_finds.advance(&wanted, &SearchGround { session: &desk.session, worker, at })
    }
}

impl App {
    /// Shows the panel and puts the cursor into its field.
    pub(super) fn focus_find(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        workspace.find.set_history(&self.settings.searches);
        workspace.find.focus();
        workspace.show(PanelKind::Find);
    }

    /// Begins a search and shows what it finds.
    pub(super) fn find(&mut self, question: FindQuestion) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        FindState::remember(&mut self.settings.searches, &question);
        workspace.find.set_history(&self.settings.searches);
        workspace.begin_find(question);
    }

    /// Looks again for what is kept under a name.
    pub(super) fn run_search(&mut self, name: &str) {
        let kept = self.workspace.as_mut().and_then(|workspace| workspace.kept_search(name));
        if let Some(kept) = kept {
            self.find(kept.search);
        }
    }

    /// Shows what is kept under a name in a panel of its own.
    pub(super) fn show_search(&mut self, name: &str) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        if let Some(kept) = workspace.kept_search(name) {
            workspace.show_own_find(kept);
        }
    }
}
