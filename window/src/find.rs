//! Search actions on panels.

use egui_tiles::Tile;

use super::workspace::Workspace;
use crate::panels::Pane;
use stepback_debugger::action::FindQuery;
use stepback_debugger::desk::Desk;
use stepback_debugger::desk::SearchContext;

impl Workspace {
    /// Starts the searches of panels that have their own. Returns true while one is running.
    pub(super) fn look_at_own_finds(&mut self, desk: &mut Desk) -> bool {
        for (_, tile) in self.dock.tiles.iter_mut() {
            if let Tile::Pane(Pane::Find(panel)) = tile
                && panel.take_stop()
                && let Some(kept) = panel.own()
            {
                desk.own_finds.stop(&kept.search);
            }
        }
        let own = self.dock.tiles.iter().filter_map(|(_, tile)| match tile {
            Tile::Pane(Pane::Find(panel)) => panel.own(),
            _ => None,
        });
        let wanted: Vec<FindQuery> = own.map(|kept| kept.search.clone()).collect();
        let at = desk.windows.active().position;
        desk.own_finds.advance(
            &wanted,
            &SearchContext {
                session: &desk.session,
                worker: &desk.worker,
                at,
            },
        )
    }
}
