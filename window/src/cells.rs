//! Actions on register and memory panels. Each applies to the focused panel of the kind, or else to
//! the first one.
//!
//! A cell that was clicked in a step list ([`ChosenCell`]) stays the subject of commands until its
//! window moves.

use egui_tiles::{Tile, TileId};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{CellName, PanelKind};
use stepback_debugger::desk::Desk;
use stepback_debugger::views::MemoryView;
use stepback_machine::RegisterGroup;

use crate::layout;
use crate::panels::{Pane, RegistersPanel};
use crate::workspace::Workspace;

impl Workspace {
    /// Selects a cell. "Last write" then refers to it, and visible panels of its kind move their
    /// cursor to it.
    pub fn select_cell(&mut self, desk: &mut Desk, cell: &CellName) {
        let (window, position) = (desk.windows.active, desk.windows.active().position);
        self.chosen = Some(ChosenCell {
            cell: cell.clone(),
            window,
            position: position.0,
        });
        for tile in self.seen_tiles() {
            match (self.dock.tiles.get_mut(tile), cell) {
                (Some(Tile::Pane(Pane::Registers(panel))), CellName::Register(name)) => {
                    panel.view.select(name)
                }
                (Some(Tile::Pane(Pane::Memory(panel))), CellName::Memory(address, _)) => {
                    _ = panel.view.select(address)
                }
                _ => {}
            }
        }
    }

    /// Lets register panels describe the cell of "last write" if a step of the trace selected it.
    pub(super) fn attend(&mut self, cell: &CellName) {
        let is_in_trace = self
            .focused_pane()
            .is_some_and(|pane| pane.kind() == PanelKind::Trace);
        let CellName::Register(name) = cell else {
            return;
        };
        for tile in self.seen_tiles() {
            if let Some(Tile::Pane(Pane::Registers(panel))) =
                self.dock.tiles.get_mut(tile).filter(|_| is_in_trace)
            {
                panel.view.attend(Some(name));
            }
        }
    }

    /// Returns the cell that was clicked in the step list, if the position is unchanged.
    pub(super) fn chosen_cell(&self, desk: &Desk) -> Option<CellName> {
        let here = (desk.windows.active, desk.windows.active().position.0);
        self.chosen
            .as_ref()
            .filter(|chosen| (chosen.window, chosen.position) == here)
            .map(|chosen| chosen.cell.clone())
    }

    pub fn show_memory(&mut self, desk: &mut Desk, address: &str) {
        self.with_memory(desk, |view, desk| view.show(address, desk));
    }

    /// Changes the memory panel.
    pub fn with_memory(&mut self, desk: &mut Desk, change: impl FnOnce(&mut MemoryView, &Desk)) {
        let tile = self.tile_of(desk, PanelKind::Memory);
        if let Some(Tile::Pane(Pane::Memory(panel))) =
            tile.and_then(|tile| self.dock.tiles.get_mut(tile))
        {
            change(&mut panel.view, desk);
        }
    }

    /// Changes the register panel.
    pub fn with_registers(&mut self, desk: &mut Desk, change: impl FnOnce(&mut RegistersPanel)) {
        let tile = self.tile_of(desk, PanelKind::Registers);
        if let Some(Tile::Pane(Pane::Registers(panel))) =
            tile.and_then(|tile| self.dock.tiles.get_mut(tile))
        {
            change(panel);
        }
    }

    /// Opens another panel with a register group. It is not put into the tabs of the first one, so
    /// that both are visible.
    pub fn new_registers(&mut self, desk: &mut Desk, group: RegisterGroup) {
        let wide = [PanelKind::Stack, PanelKind::Compare, PanelKind::Memory]
            .into_iter()
            .find_map(|kind| self.find(kind));
        let pane = Pane::new(PanelKind::Registers, desk.windows.active);
        let added = match wide {
            Some(tile) => Some(layout::insert_as_tab(&mut self.dock, tile, pane)),
            None => self.place(desk, pane, PanelKind::Registers),
        };
        if let Some(tile) = added {
            self.focus(desk, tile);
            self.with_registers(desk, |panel| panel.choose_group(group));
        }
    }

    /// Keeps the focused memory panel at its byte, because a query about that byte was started.
    pub fn hold_memory(&mut self) {
        if let Some(Tile::Pane(Pane::Memory(panel))) =
            self.focused.and_then(|tile| self.dock.tiles.get_mut(tile))
        {
            panel.view.hold();
        }
    }

    pub(super) fn tile_of(&mut self, desk: &mut Desk, kind: PanelKind) -> Option<TileId> {
        let is_meant = |tile: &TileId| {
            self.dock
                .tiles
                .get_pane(tile)
                .is_some_and(|pane| pane.kind() == kind)
        };
        self.focused
            .filter(is_meant)
            .or_else(|| self.show(desk, kind))
    }
}

/// A cell that was clicked in a step list; valid until the window moves.
#[derive(Clone, Debug)]
pub struct ChosenCell {
    pub cell: CellName,
    pub window: WindowId,
    /// Position of the window at the click.
    pub position: u64,
}
