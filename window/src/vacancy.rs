//! Places of closed panels, to which they return when reopened.

use egui_tiles::{Container, Linear, LinearDir, Tile, TileId};
use stepback_debugger::action::PanelKind;

use super::layout::{Dock, panes_in_order, replace};
use crate::panels::Pane;

#[derive(Debug)]
pub struct ClosedPanelPlace {
    kind: PanelKind,
    /// Panels in the same tabs; `before` is the number of tabs that preceded the panel.
    beside: Vec<TileId>,
    before: usize,
    /// Place relative to a neighbour, if the panel was the only tab.
    alone: Option<NeighbourPlace>,
}

#[derive(Debug)]
struct NeighbourPlace {
    neighbour: TileId,
    direction: LinearDir,
    /// The panel was to the right of the neighbour or below it.
    is_after: bool,
    /// Shares of the space: the panel's and the neighbour's.
    shares: [f32; 2],
}

impl ClosedPanelPlace {
    /// Returns the place of a panel that is about to be closed.
    pub fn of(dock: &Dock, tile: TileId) -> Option<Self> {
        let kind = dock.tiles.get_pane(&tile)?.kind();
        let tabs = dock.tiles.parent_of(tile)?;
        let Some(Tile::Container(Container::Tabs(stack))) = dock.tiles.get(tabs) else {
            return None;
        };
        let before = stack.children.iter().position(|child| *child == tile)?;
        let beside: Vec<TileId> = stack
            .children
            .iter()
            .copied()
            .filter(|child| *child != tile)
            .collect();
        let alone = if beside.is_empty() {
            NeighbourPlace::of(dock, tabs)
        } else {
            None
        };
        Some(Self {
            kind,
            beside,
            before,
            alone,
        })
    }

    /// Returns true if the closed panel was of a kind.
    pub fn is_of(&self, kind: PanelKind) -> bool {
        self.kind == kind
    }

    /// Reopens a panel at its place. Returns none if the place is gone.
    pub fn fill(&self, dock: &mut Dock, pane: impl FnOnce() -> Pane) -> Option<TileId> {
        let shown = panes_in_order(dock);
        if let Some(companion) = self.beside.iter().find(|tile| shown.contains(tile)) {
            let stack = dock.tiles.parent_of(*companion)?;
            let pane = pane();
            let added = dock.tiles.insert_pane(pane);
            if let Some(Tile::Container(Container::Tabs(tabs))) = dock.tiles.get_mut(stack) {
                tabs.children
                    .insert(self.before.min(tabs.children.len()), added);
                tabs.set_active(added);
            }
            return Some(added);
        }
        let alone = self
            .alone
            .as_ref()
            .filter(|alone| dock.tiles.get(alone.neighbour).is_some())?;
        Some(alone.fill(dock, pane()))
    }
}

impl NeighbourPlace {
    fn of(dock: &Dock, tabs: TileId) -> Option<Self> {
        let row = dock.tiles.parent_of(tabs)?;
        let Some(Tile::Container(Container::Linear(linear))) = dock.tiles.get(row) else {
            return None;
        };
        let place = linear.children.iter().position(|child| *child == tabs)?;
        let is_after = place > 0;
        let neighbour = *linear
            .children
            .get(if is_after { place - 1 } else { place + 1 })?;
        let shares = [linear.shares[tabs], linear.shares[neighbour]];
        Some(Self {
            neighbour,
            direction: linear.dir,
            is_after,
            shares,
        })
    }

    fn fill(&self, dock: &mut Dock, pane: Pane) -> TileId {
        let added = dock.tiles.insert_pane(pane);
        let tabs = dock.tiles.insert_tab_tile(vec![added]);
        let Self {
            neighbour,
            direction,
            is_after,
            shares: [own, other],
        } = *self;
        let parent = dock.tiles.parent_of(neighbour);
        if let Some(Tile::Container(Container::Linear(linear))) =
            parent.and_then(|parent| dock.tiles.get_mut(parent))
            && linear.dir == direction
        {
            let place = linear
                .children
                .iter()
                .position(|child| *child == neighbour)
                .unwrap_or(0);
            linear.children.insert(place + usize::from(is_after), tabs);
            linear.shares.set_share(tabs, own);
            return added;
        }
        let children = if is_after {
            vec![neighbour, tabs]
        } else {
            vec![tabs, neighbour]
        };
        let mut linear = Linear::new(direction, children);
        linear.shares.set_share(tabs, own);
        linear.shares.set_share(neighbour, other);
        let row = dock.tiles.insert_container(Container::Linear(linear));
        replace(dock, parent, neighbour, row);
        added
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept_layout::text_of;
    use crate::layout::{RecordedContent, first};

    #[test]
    fn a_panel_comes_back_where_it_was_closed() {
        for size in [egui::vec2(1600.0, 1000.0), egui::vec2(1280.0, 800.0)] {
            let mut dock = first(RecordedContent::Values, size);
            let options = egui_tiles::SimplificationOptions {
                all_panes_must_have_tabs: true,
                ..Default::default()
            };
            dock.simplify(&options);
            let before = text_of(&dock, &|_| None).unwrap();
            for tile in panes_in_order(&dock) {
                let Some(kind) = dock
                    .tiles
                    .get_pane(&tile)
                    .map(Pane::kind)
                    .filter(|kind| *kind != PanelKind::Trace)
                else {
                    continue;
                };
                let vacancy = ClosedPanelPlace::of(&dock, tile).unwrap();
                dock.remove_recursively(tile);
                dock.simplify(&options);
                let filled = vacancy.fill(&mut dock, || {
                    Pane::new(kind, stepback_debugger::action::WindowId(1))
                });
                assert!(filled.is_some(), "{kind:?}");
                let plain = |text: &str| text.replace(char::is_numeric, "");
                assert_eq!(
                    plain(&text_of(&dock, &|_| None).unwrap()),
                    plain(&before),
                    "{kind:?}"
                );
            }
        }
    }
}
