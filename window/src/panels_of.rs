//! How panels and trace windows are opened, shown and closed.

use egui_tiles::{Tile, TileId};
use stepback_parsers::Position;

use super::layout::{self, Dock};
use super::room::{Taken, wants_lines};
use super::trace_widths;
use super::vacancy::Vacancy;
use super::workspace::Workspace;
use crate::panels::{FindPanel, Pane, WhyPanel};
use stepback_debugger::action::{PanelId, PanelKind, WindowId};
use stepback_debugger::notes::{KeptSearch, KeptSlice};

/// Where more panels stood is forgotten.
const VACANCIES: usize = 32;

impl Workspace {
    /// Opens a trace window beside the active one.
    pub fn open_window(&mut self, at: Position) -> WindowId {
        let beside = self.trace_tile(self.windows.active).or_else(|| self.any_tile());
        let at = at.min(self.session.index.end());
        let id = self.windows.open_at(at);
        let pane = Pane::new(PanelKind::Trace, id);
        let tile = match beside {
            Some(tile) if trace_widths::has_room_beside(&self.dock, tile) => {
                layout::insert_beside(&mut self.dock, tile, pane)
            }
            Some(tile) => layout::insert_as_tab(&mut self.dock, tile, pane),
            None => layout::insert_as_tab(&mut self.dock, TileId::from_u64(0), pane),
        };
        self.focus(tile);
        id
    }

    /// Two trace windows side by side.
    pub fn side_by_side(&mut self) {
        match self.second_window() {
            Some(second) => self.show_window(second),
            None => {
                let here = self.windows.active().position;
                self.open_window(here);
            }
        }
    }

    /// The comparison of two positions, laid out for a window of a width; where there is one window, a second opens where the first came from.
    pub fn compare(&mut self, width: f32) {
        if self.second_window().is_none() {
            let first = self.windows.active;
            let before = self.windows.active().previous;
            self.open_window(before);
            self.windows.activate(first);
        }
        if self.find(PanelKind::Compare).is_none() {
            self.show(PanelKind::Compare);
        }
        let dock = std::mem::replace(&mut self.dock, Dock::empty(egui::Id::unique("dock")));
        self.replace_dock(layout::compare(dock, width));
        self.focused = self.trace_tile(self.windows.active);
        self.reveal(PanelKind::Compare);
    }

    /// The comparison shows these two windows.
    pub fn choose_compared(&mut self, before: WindowId, after: WindowId) {
        let tile = self.find(PanelKind::Compare);
        if let Some(Tile::Pane(Pane::Compare(panel))) = tile.and_then(|tile| self.dock.tiles.get_mut(tile)) {
            panel.choose(before, after);
        }
    }

    /// A trace window that is not the active one; where there is none, one opens at a position.
    pub fn other_window(&mut self, position: Position) -> WindowId {
        self.second_window().unwrap_or_else(|| {
            let active = self.windows.active;
            let opened = self.open_window(position);
            self.windows.activate(active);
            opened
        })
    }

    /// A trace window that is not the active one.
    pub(super) fn second_window(&self) -> Option<WindowId> {
        self.windows.list.iter().map(|window| window.id).find(|id| *id != self.windows.active)
    }

    /// Makes a trace window the active one and shows it, opening its panel where it was closed.
    pub fn show_window(&mut self, id: WindowId) {
        if self.windows.get(id).is_none() {
            return;
        }
        let tile = match (self.trace_tile(id), self.any_tile()) {
            (Some(tile), _) => tile,
            (None, Some(other)) => layout::insert_beside(&mut self.dock, other, Pane::new(PanelKind::Trace, id)),
            (None, None) => return,
        };
        self.windows.activate(id);
        self.focus(tile);
    }

    /// Shows a panel of a kind, opening one where there is none, and gives it the keyboard.
    pub fn show(&mut self, kind: PanelKind) -> Option<TileId> {
        let tile = match self.find(kind) {
            Some(tile) => tile,
            None => self.add(kind)?,
        };
        self.focus(tile);
        Some(tile)
    }

    /// Shows a kept search in a panel of its own.
    pub(super) fn show_own_find(&mut self, kept: KeptSearch) {
        let pane = Pane::Find(FindPanel::of(kept));
        // Beside the panel of the field, where there is one: both are seen.
        let tile = match self.find(PanelKind::Find) {
            Some(tile) => Some(layout::insert_beside(&mut self.dock, tile, pane)),
            None => self.place(pane, PanelKind::Find),
        };
        if let Some(tile) = tile {
            self.focus(tile);
        }
    }

    /// Shows a kept slice in a panel of its own.
    pub(super) fn show_own_slice(&mut self, kept: KeptSlice) {
        let pane = Pane::Why(WhyPanel::of(kept));
        // Beside the panel of the marked slice, where there is one: both are seen.
        let tile = match self.find(PanelKind::Why) {
            Some(tile) => Some(layout::insert_beside(&mut self.dock, tile, pane)),
            None => self.place(pane, PanelKind::Why),
        };
        if let Some(tile) = tile {
            self.focus(tile);
        }
    }

    /// Opens another panel of a kind.
    pub fn add(&mut self, kind: PanelKind) -> Option<TileId> {
        if kind == PanelKind::Trace {
            let here = self.windows.active().position;
            let id = self.open_window(here);
            return self.trace_tile(id);
        }
        let pane = Pane::new(kind, self.windows.active);
        let tile = self.place(pane, kind)?;
        self.make_room(tile, kind);
        self.focus(tile);
        Some(tile)
    }

    /// A panel that is read line by line gets room for its lines until it closes.
    fn make_room(&mut self, tile: TileId, kind: PanelKind) {
        if wants_lines(kind) {
            self.rooms.extend(Taken::for_panel(&mut self.dock, tile));
        }
    }

    /// Opens another panel like one that is there. A trace window gets a position of its own.
    pub fn duplicate(&mut self, tile: PanelId) -> Option<()> {
        let pane = self.dock.tiles.get_pane(&TileId(tile.0))?;
        if let Some(window) = pane.window() {
            let at = self.windows.followed(window).position;
            self.open_window(at);
            return Some(());
        }
        let copy = pane.duplicate()?;
        let added = layout::insert_as_tab(&mut self.dock, TileId(tile.0), copy);
        self.focus(added);
        Some(())
    }

    /// Closes a panel, and a trace window with its last panel. False when it is the last trace window.
    pub fn close(&mut self, tile: PanelId) -> bool {
        let tile = TileId(tile.0);
        let Some(pane) = self.dock.tiles.get_pane(&tile) else { return true };
        if let Some(window) = pane.window()
            && self.tiles_of_window(window).len() == 1
            && !self.windows.close(window)
        {
            return false;
        }
        self.vacancies.extend(Vacancy::of(&self.dock, tile));
        let surplus = self.vacancies.len().saturating_sub(VACANCIES);
        self.vacancies.drain(..surplus);
        self.dock.remove_recursively(tile);
        if let Some(place) = self.rooms.iter().position(|taken| taken.is_for(tile)) {
            let kept = self.rooms.remove(place).pass_on(&mut self.dock);
            self.rooms.extend(kept);
        }
        // Nothing would be left in the main window.
        if self.torn().len() == layout::panes_in_order(&self.dock).len() {
            self.put_back(None);
        }
        if self.focused == Some(tile) {
            self.focused = self.trace_tile(self.windows.active).or_else(|| self.any_tile());
        }
        true
    }

    /// Puts a new panel where the last one of its kind was closed, or where its kind stands, or else where the comparison or any panel but a trace window does.
    pub(super) fn place(&mut self, pane: Pane, kind: PanelKind) -> Option<TileId> {
        if let Some(place) = self.vacancies.iter().rposition(|vacancy| vacancy.is_of(kind)) {
            let active = self.windows.active;
            let filled = self.vacancies.remove(place).fill(&mut self.dock, || Pane::new(kind, active));
            if filled.is_some() {
                return filled;
            }
        }
        let order =
            [kind, PanelKind::Externals, PanelKind::Compare, PanelKind::Memory, PanelKind::Registers, PanelKind::Calls];
        // The flame graph stands beside the list of functions, not in front of it.
        let first = (kind == PanelKind::FlameGraph).then_some(PanelKind::Memory);
        let beside = first.into_iter().chain(order).find_map(|kind| self.find(kind));
        let tile = beside.or_else(|| self.any_tile())?;
        Some(match beside {
            Some(_) => layout::insert_as_tab(&mut self.dock, tile, pane),
            None => layout::insert_beside(&mut self.dock, tile, pane),
        })
    }
}
