//! Slice actions on panels.

use egui_tiles::Tile;

use super::workspace::Workspace;
use crate::panels::Pane;
use stepback_debugger::action::{PanelKind, SliceQuery, SliceView};
use stepback_debugger::desk::Desk;
use stepback_debugger::views::OwnSliceRequest;

impl Workspace {
    /// Computes the slices of panels that have their own. Returns true while one is running.
    pub(super) fn look_at_own_slices(&mut self, desk: &mut Desk) -> bool {
        for (_, tile) in self.dock.tiles.iter_mut() {
            let Tile::Pane(Pane::Why(panel)) = tile else {
                continue;
            };
            let request = panel.view.take_request();
            match (request, panel.own()) {
                (Some(OwnSliceRequest::Stop), Some(kept)) => desk.own_slices.stop(&kept.slice),
                (Some(OwnSliceRequest::More), Some(kept)) => {
                    desk.own_slices
                        .more(&kept.slice, &desk.session, &desk.worker)
                }
                _ => {}
            }
        }
        let own = self.dock.tiles.iter().filter_map(|(_, tile)| match tile {
            Tile::Pane(Pane::Why(panel)) => panel.own(),
            _ => None,
        });
        let wanted: Vec<SliceQuery> = own.map(|kept| kept.slice.clone()).collect();
        desk.own_slices
            .advance(&wanted, &desk.session, &desk.worker)
    }

    /// Sets the arrangement of the slice's rows in the focused panel, or else in the first one.
    pub(super) fn view_slice(&mut self, desk: &mut Desk, view: SliceView) {
        let tile = self.tile_of(desk, PanelKind::Why);
        if let Some(Tile::Pane(Pane::Why(panel))) =
            tile.and_then(|tile| self.dock.tiles.get_mut(tile))
        {
            panel.choose_view(view);
        }
    }
}
