//! Opens, shows and closes panels and trace windows, including panels with a separate search or
//! slice.

use egui_tiles::{Tile, TileId};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, FindQuery, PanelAction, PanelId, PanelKind, SavedSliceQuery, SliceView,
};
use stepback_debugger::desk::Desk;
use stepback_debugger::notes::{SavedSearch, SavedSlice};
use stepback_debugger::views::OwnSliceRequest;
use stepback_parsers::Position;

use crate::layout::Dock;
use crate::panels::{FindPanel, Pane, Panel as _, WhyPanel};
use crate::room::{HeightTransfer, leave_width};
use crate::vacancy::ClosedPanelPlace;
use crate::workspace::Workspace;
use crate::{layout, room};

/// Maximum number of remembered places of closed panels.
const VACANCIES: usize = 32;

impl Workspace {
    /// Opens a trace window next to the active one.
    pub fn open_window(&mut self, desk: &mut Desk, at: Position) -> WindowId {
        let beside = self
            .trace_tile(desk.windows.active)
            .or_else(|| self.any_tile());
        let at = at.min(desk.session.index.end());
        let id = desk.windows.open_at(at);
        let pane = Pane::new(PanelKind::Trace, id);
        let tile = match beside {
            Some(tile) if room::has_room_beside(&self.dock, tile) => {
                layout::insert_beside(&mut self.dock, tile, pane)
            }
            Some(tile) => layout::insert_as_tab(&mut self.dock, tile, pane),
            None => layout::insert_as_tab(&mut self.dock, TileId::from_u64(0), pane),
        };
        self.focus(desk, tile);
        id
    }

    /// Shows two trace windows side by side.
    pub fn side_by_side(&mut self, desk: &mut Desk) {
        match self.second_window(desk) {
            Some(second) => self.show_window(desk, second),
            None => {
                let here = desk.windows.active().position;
                self.open_window(desk, here);
            }
        }
    }

    /// Lays out the comparison of two positions for a window width. If there is only one trace
    /// window, a second one opens at the previous position of the first.
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

    /// Selects the two windows of the comparison.
    pub fn choose_compared(&mut self, before: WindowId, after: WindowId) {
        let tile = self.find(PanelKind::Compare);
        if let Some(Tile::Pane(Pane::Compare(panel))) =
            tile.and_then(|tile| self.dock.tiles.get_mut(tile))
        {
            panel.choose(before, after);
        }
    }

    /// Returns a trace window other than the active one, opening one at a position if there is
    /// none.
    pub fn other_window(&mut self, desk: &mut Desk, position: Position) -> WindowId {
        self.second_window(desk).unwrap_or_else(|| {
            let active = desk.windows.active;
            let opened = self.open_window(desk, position);
            desk.windows.activate(active);
            opened
        })
    }

    /// Returns a trace window other than the active one.
    pub(super) fn second_window(&self, desk: &Desk) -> Option<WindowId> {
        desk.windows
            .list
            .iter()
            .map(|window| window.id)
            .find(|id| *id != desk.windows.active)
    }

    /// Activates a trace window and shows it, reopening its panel if it was closed.
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

    /// Shows and focuses a panel of a kind, opening one if there is none.
    pub fn show(&mut self, desk: &mut Desk, kind: PanelKind) -> Option<TileId> {
        let tile = match self.find(kind) {
            Some(tile) => {
                if !self.rooms.iter().any(|taken| taken.is_for(tile)) {
                    self.make_room(tile);
                }
                tile
            }
            None => self.add(desk, kind)?,
        };
        self.focus(desk, tile);
        Some(tile)
    }

    /// Shows and focuses a panel for a command, with the keyboard in its field if it needs a text.
    pub fn open(&mut self, desk: &mut Desk, kind: PanelKind) {
        let tile = self.show(desk, kind);
        let pane = tile.and_then(|tile| self.dock.tiles.get_mut(tile));
        if let Some(Tile::Pane(pane)) = pane {
            pane.focus_field();
            if let Pane::Table(panel) = pane {
                panel.take(&Action::Panel(PanelAction::ShowPanel(kind)), desk);
            }
        }
    }

    /// Shows a saved search in a separate panel.
    pub(super) fn show_own_find(&mut self, desk: &mut Desk, kept: SavedSearch) {
        let pane = Pane::Find(FindPanel::of(kept));
        // Next to the panel of the search field, if there is one, so that both are visible.
        let tile = match self.find(PanelKind::Find) {
            Some(tile) => Some(layout::insert_beside(&mut self.dock, tile, pane)),
            None => self.place(desk, pane, PanelKind::Find),
        };
        if let Some(tile) = tile {
            self.focus(desk, tile);
        }
    }

    /// Shows a saved slice in a separate panel.
    pub(super) fn show_own_slice(&mut self, desk: &mut Desk, kept: SavedSlice) {
        let pane = Pane::Why(WhyPanel::of(kept));
        // Next to the panel of the marked slice, if there is one, so that both are visible.
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
        self.make_room(tile);
        self.focus(desk, tile);
        Some(tile)
    }

    /// Gives a panel the height that it needs until it closes.
    fn make_room(&mut self, tile: TileId) {
        self.rooms
            .extend(HeightTransfer::for_panel(&mut self.dock, tile));
    }

    /// Opens a copy of a panel. A copied trace window has an independent position.
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

    /// Closes a panel, and its trace window if this was the window's last panel. Returns false for
    /// the last trace window.
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
        leave_width(&mut self.dock, tile);
        self.dock.remove_recursively(tile);
        // A panel that inherited height may have taken more since: the newest is returned first.
        let mut kept = Vec::new();
        for taken in std::mem::take(&mut self.rooms).into_iter().rev() {
            kept.extend(match taken.is_for(tile) {
                true => taken.pass_on(&mut self.dock),
                false => Some(taken),
            });
        }
        kept.reverse();
        self.rooms = kept;
        // Otherwise the main window would be empty.
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

    /// Inserts a new panel at the place where a panel of its kind was last closed. Otherwise it
    /// joins the tabs of its kind or of another known panel. If there is none, it is placed next to
    /// any tile.
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
            PanelKind::Stack,
            PanelKind::Memory,
            PanelKind::Registers,
            PanelKind::Calls,
        ];
        let first = match kind {
            // The flame graph is placed next to the function list, not in front of it.
            PanelKind::FlameGraph => Some(PanelKind::Memory),
            // Two columns of steps need the width of the list of steps.
            PanelKind::BothTraces => Some(PanelKind::Trace),
            _ => None,
        };
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

    /// Returns the page size of the active window, in rows.
    pub fn page_rows(&self, desk: &Desk) -> u64 {
        let rows = self.trace_tile(desk.windows.active).and_then(|tile| {
            match self.dock.tiles.get_pane(&tile) {
                Some(Pane::Trace(panel)) => Some(panel.page_rows()),
                _ => None,
            }
        });
        // The number of rows is unknown before the first frame.
        rows.filter(|rows| *rows > 0).unwrap_or(20)
    }

    /// Scrolls all trace windows except one by the distance that it was scrolled.
    pub(super) fn scroll_along(&mut self, led: WindowId, direction: i64) {
        for tile in self.dock.tiles.tiles_mut() {
            match tile {
                Tile::Pane(Pane::Trace(panel)) if panel.window() != Some(led) => {
                    panel.scroll_along(direction)
                }
                _ => {}
            }
        }
    }
}

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
        desk.own_finds
            .advance(&wanted, at, &desk.session, &desk.worker)
    }
}

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
        let wanted: Vec<SavedSliceQuery> = own.map(|kept| kept.slice.clone()).collect();
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
