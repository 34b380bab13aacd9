//! How panels and trace windows are opened, shown and closed.

use egui_tiles::{Tile, TileId};
use stepback_parsers::Position;

use super::layout::{self, Dock};
use super::room::{HeightTransfer, wants_lines};
use super::trace_widths;
use super::vacancy::ClosedPanelPlace;
use super::workspace::Workspace;
use crate::panels::{FindPanel, Pane, Panel as _, WhyPanel};
use stepback_debugger::action::{PanelId, PanelKind, WindowId};
use stepback_debugger::desk::Desk;
use stepback_debugger::notes::{SavedSearch, SavedSlice};

/// Where more panels stood is forgotten.
const VACANCIES: usize = 32;

impl Workspace {
    /// Opens a trace window beside the active one.
    pub fn open_window(&mut self, desk: &mut Desk, at: Position) -> WindowId {
        let beside = self
            .trace_tile(desk.windows.active)
            .or_else(|| self.any_tile());
        let at = at.min(desk.session.index.end());
        let id = desk.windows.open_at(at);
        let pane = Pane::new(PanelKind::Trace, id);
        let tile = match beside {
            Some(tile) if trace_widths::has_room_beside(&self.dock, tile) => {
                layout::insert_beside(&mut self.dock, tile, pane)
            }
            Some(tile) => layout::insert_as_tab(&mut self.dock, tile, pane),
            None => layout::insert_as_tab(&mut self.dock, TileId::from_u64(0), pane),
        };
        self.focus(desk, tile);
        id
    }

    /// Two trace windows side by side.
    pub fn side_by_side(&mut self, desk: &mut Desk) {
        match self.second_window(desk) {
            Some(second) => self.show_window(desk, second),
            None => {
                let here = desk.windows.active().position;
                self.open_window(desk, here);
            }
        }
    }

    /// The comparison of two positions, laid out for a window of a width; where there is one window, a second opens where the first came from.
    pub fn compare(&mut self, desk: &mut Desk, width: f32) {
        if self.second_window(desk).is_none() {
            let first = desk.windows.active;
            let before = desk.windows.active().previous;
            self.open_window(desk, before);
            desk.windows.activate(first);
        }
        if self.find(PanelKind::Compare).is_none() {
            self.show(desk, PanelKind::Compare);
        }
        let dock = std::mem::replace(&mut self.dock, Dock::empty(egui::Id::unique("dock")));
        self.replace_dock(layout::compare(dock, width));
        self.focused = self.trace_tile(desk.windows.active);
        self.reveal(PanelKind::Compare);
    }

    /// The comparison shows these two windows.
    pub fn choose_compared(&mut self, before: WindowId, after: WindowId) {
        let tile = self.find(PanelKind::Compare);
        if let Some(Tile::Pane(Pane::Compare(panel))) =
            tile.and_then(|tile| self.dock.tiles.get_mut(tile))
        {
            panel.choose(before, after);
        }
    }

    /// A trace window that is not the active one; where there is none, one opens at a position.
    pub fn other_window(&mut self, desk: &mut Desk, position: Position) -> WindowId {
        self.second_window(desk).unwrap_or_else(|| {
            let active = desk.windows.active;
            let opened = self.open_window(desk, position);
            desk.windows.activate(active);
            opened
        })
    }

    /// A trace window that is not the active one.
    pub(super) fn second_window(&self, desk: &Desk) -> Option<WindowId> {
        desk.windows
            .list
            .iter()
            .map(|window| window.id)
            .find(|id| *id != desk.windows.active)
    }

    /// Makes a trace window the active one and shows it, opening its panel where it was closed.
    pub fn show_window(&mut self, desk: &mut Desk, id: WindowId) {
        if desk.windows.get(id).is_none() {
            return;
        }
        let tile = match (self.trace_tile(id), self.any_tile()) {
            (Some(tile), _) => tile,
            (None, Some(other)) => {
                layout::insert_beside(&mut self.dock, other, Pane::new(PanelKind::Trace, id))
            }
            (None, None) => return,
        };
        desk.windows.activate(id);
        self.focus(desk, tile);
    }

    /// Shows a panel of a kind, opening one where there is none, and gives it the keyboard.
    pub fn show(&mut self, desk: &mut Desk, kind: PanelKind) -> Option<TileId> {
        let tile = match self.find(kind) {
            Some(tile) => tile,
            None => self.add(desk, kind)?,
        };
        self.focus(desk, tile);
        Some(tile)
    }

    /// Shows a kept search in a panel of its own.
    pub(super) fn show_own_find(&mut self, desk: &mut Desk, kept: SavedSearch) {
        let pane = Pane::Find(FindPanel::of(kept));
        // Beside the panel of the field, where there is one: both are seen.
        let tile = match self.find(PanelKind::Find) {
            Some(tile) => Some(layout::insert_beside(&mut self.dock, tile, pane)),
            None => self.place(desk, pane, PanelKind::Find),
        };
        if let Some(tile) = tile {
            self.focus(desk, tile);
        }
    }

    /// Shows a kept slice in a panel of its own.
    pub(super) fn show_own_slice(&mut self, desk: &mut Desk, kept: SavedSlice) {
        let pane = Pane::Why(WhyPanel::of(kept));
        // Beside the panel of the marked slice, where there is one: both are seen.
        let tile = match self.find(PanelKind::Why) {
            Some(tile) => Some(layout::insert_beside(&mut self.dock, tile, pane)),
            None => self.place(desk, pane, PanelKind::Why),
        };
        if let Some(tile) = tile {
            self.focus(desk, tile);
        }
    }

    /// Opens another panel of a kind.
    pub fn add(&mut self, desk: &mut Desk, kind: PanelKind) -> Option<TileId> {
        if kind == PanelKind::Trace {
            let here = desk.windows.active().position;
            let id = self.open_window(desk, here);
            return self.trace_tile(id);
        }
        let pane = Pane::new(kind, desk.windows.active);
        let tile = self.place(desk, pane, kind)?;
        self.make_room(tile, kind);
        self.focus(desk, tile);
        Some(tile)
    }

    /// A panel that is read line by line gets room for its lines until it closes.
    fn make_room(&mut self, tile: TileId, kind: PanelKind) {
        if wants_lines(kind) {
            self.rooms
                .extend(HeightTransfer::for_panel(&mut self.dock, tile));
        }
    }

    /// Opens another panel like one that is there. A trace window gets a position of its own.
    pub fn duplicate(&mut self, desk: &mut Desk, tile: PanelId) -> Option<()> {
        let pane = self.dock.tiles.get_pane(&TileId(tile.0))?;
        if let Some(window) = pane.window() {
            let at = desk.windows.followed(window).position;
            self.open_window(desk, at);
            return Some(());
        }
        let copy = pane.duplicate()?;
        let added = layout::insert_as_tab(&mut self.dock, TileId(tile.0), copy);
        self.focus(desk, added);
        Some(())
    }

    /// Closes a panel, and a trace window with its last panel. False when it is the last trace window.
    pub fn close(&mut self, desk: &mut Desk, tile: PanelId) -> bool {
        let tile = TileId(tile.0);
        let Some(pane) = self.dock.tiles.get_pane(&tile) else {
            return true;
        };
        if let Some(window) = pane.window()
            && self.tiles_of_window(window).len() == 1
            && !desk.windows.close(window)
        {
            return false;
        }
        self.vacancies
            .extend(ClosedPanelPlace::of(&self.dock, tile));
        let surplus = self.vacancies.len().saturating_sub(VACANCIES);
        self.vacancies.drain(..surplus);
        self.dock.remove_recursively(tile);
        if let Some(place) = self.rooms.iter().position(|taken| taken.is_for(tile)) {
            let kept = self.rooms.remove(place).pass_on(&mut self.dock);
            self.rooms.extend(kept);
        }
        // Nothing would be left in the main window.
        if self.torn().len() == layout::panes_in_order(&self.dock).len() {
            self.put_back(desk, None);
        }
        if self.focused == Some(tile) {
            self.focused = self
                .trace_tile(desk.windows.active)
                .or_else(|| self.any_tile());
        }
        true
    }

    /// Puts a new panel where the last one of its kind was closed, or where its kind stands, or else where the comparison or any panel but a trace window does.
    pub(super) fn place(&mut self, desk: &mut Desk, pane: Pane, kind: PanelKind) -> Option<TileId> {
        if let Some(place) = self
            .vacancies
            .iter()
            .rposition(|vacancy| vacancy.is_of(kind))
        {
            let active = desk.windows.active;
            let filled = self
                .vacancies
                .remove(place)
                .fill(&mut self.dock, || Pane::new(kind, active));
            if filled.is_some() {
                return filled;
            }
        }
        let order = [
            kind,
            PanelKind::Externals,
            PanelKind::Compare,
            PanelKind::Memory,
            PanelKind::Registers,
            PanelKind::Calls,
        ];
        // The flame graph stands beside the list of functions, not in front of it.
        let first = (kind == PanelKind::FlameGraph).then_some(PanelKind::Memory);
        let beside = first
            .into_iter()
            .chain(order)
            .find_map(|kind| self.find(kind));
        let tile = beside.or_else(|| self.any_tile())?;
        Some(match beside {
            Some(_) => layout::insert_as_tab(&mut self.dock, tile, pane),
            None => layout::insert_beside(&mut self.dock, tile, pane),
        })
    }

    /// Rows that a page of the active window has.
    pub fn page_rows(&self, desk: &Desk) -> u64 {
        let rows = self.trace_tile(desk.windows.active).and_then(|tile| {
            match self.dock.tiles.get_pane(&tile) {
                Some(Pane::Trace(panel)) => Some(panel.page_rows()),
                _ => None,
            }
        });
        // Before the first frame the number of rows is not known.
        rows.filter(|rows| *rows > 0).unwrap_or(20)
    }

    /// All trace windows but one scroll as far as that was scrolled.
    pub(super) fn scroll_along(&mut self, led: WindowId, way: i64) {
        for tile in self.dock.tiles.tiles_mut() {
            match tile {
                Tile::Pane(Pane::Trace(panel)) if panel.window() != Some(led) => {
                    panel.scroll_along(way)
                }
                _ => {}
            }
        }
    }
}
