//! State of the window while a trace is open.

use std::collections::HashMap;

use egui_tiles::{Tile, TileId};
use stepback_debugger::action::{Action, CellName, Direction, Follow, PanelId, PanelKind};
use stepback_debugger::action::{StepRange, WindowId};
use stepback_debugger::desk::{Desk, StatusSlot};
use stepback_debugger::expression::ExampleRegisters;
use stepback_debugger::keymap::CommandContext;
use stepback_debugger::program::PanelsSnapshot;
use stepback_debugger::session::TraceChange;
use stepback_debugger::worker::Slot;
use stepback_index::answer::ThreadId;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::banner::{Banner, DemoGuide};
use super::layout::{Arrangement, Dock, RecordedContent};
use super::room::HeightTransfer;
use super::vacancy::ClosedPanelPlace;
use super::{kept_layout, layout};
use crate::cells::ChosenCell;
use crate::kept_layout::{SavedLayout, TornWindowPlace};
use crate::panels::{Pane, PanelContext, TimelineState};
use crate::theme::ThemeColors;

/// An open trace with its windows and panels.
pub struct Workspace {
    pub dock: Dock,
    /// The focused panel.
    pub focused: Option<TileId>,
    /// Notes about unusual properties of the trace, until the user closes them.
    pub banner: Option<Banner>,
    /// Change of the trace file that the user has not dismissed.
    pub change: Option<TraceChange>,
    /// First steps for the demo, until the user closes them.
    pub guide: Option<DemoGuide>,
    /// The card about the end of the trace is shown, if the trace ends badly.
    pub has_ending_card: bool,
    /// The arrangement of the initial panels for the size of the window; none if the user changed
    /// them.
    arrangement: Option<Arrangement>,
    /// The panels at the last check for changes.
    pub(super) panels_seen: Option<PanelsSnapshot>,
    /// Places of closed panels, the newest last.
    pub(super) vacancies: Vec<ClosedPanelPlace>,
    /// Heights that panels took from their neighbours.
    pub(super) rooms: Vec<HeightTransfer>,
    /// Separate windows of panels.
    pub(super) torn_windows: HashMap<TileId, TornWindow>,
    /// Panel with the window to bring to the front.
    pub(super) raised: Option<TileId>,
    pub timeline: TimelineState,
    /// Text of the status bar.
    pub status: StatusSlot,
    /// Text about threads that may have run at the same time as the thread at the position.
    pub order: Slot<(Position, ThreadId), Option<String>>,
    /// Cell most recently under a cursor; commands such as "last write" use it if the focused panel
    /// has none.
    last_cell: Option<CellName>,
    /// The user selected a cell. The first cell that the last step changed is no selection.
    has_selected: bool,
    /// The cell that was clicked in a step list.
    pub(super) chosen: Option<ChosenCell>,
}

/// Places of a panel window: initial and current.
#[derive(Clone, Copy, Debug)]
pub struct TornWindow {
    /// Requested place, constant while the window is open, so that the user can move it.
    pub opened: TornWindowPlace,
    pub now: TornWindowPlace,
}

/// Data that panels read, and the widgets to draw.
pub struct WorkspaceContext<'a> {
    /// Context of a panel that is in no tile and has no focus.
    pub cx: PanelContext<'a>,
    pub dock: &'a mut Dock,
    pub timeline: &'a mut TimelineState,
}

impl Workspace {
    /// Creates the windows and panels of a trace: the saved ones, or the initial ones for a window
    /// of a size.
    pub fn new(desk: &mut Desk, saved: Option<SavedLayout>, size: egui::Vec2) -> Self {
        let torn = saved
            .as_ref()
            .map(|saved| saved.torn.clone())
            .unwrap_or_default();
        let content = RecordedContent::of(&desk.session);
        let (dock, arrangement) = match saved {
            Some(saved) => {
                let dock = restored(desk, saved);
                let arrangement = layout::arrangement_of(&dock, content);
                (dock, arrangement)
            }
            None => (
                layout::first(content, size),
                Some(Arrangement::of(content, size)),
            ),
        };
        let mut workspace = Self {
            banner: Banner::of(&desk.session),
            change: None,
            dock,
            focused: None,
            guide: None,
            has_ending_card: false,
            arrangement,
            panels_seen: None,
            vacancies: Vec::new(),
            rooms: Vec::new(),
            torn_windows: HashMap::new(),
            raised: None,
            timeline: TimelineState::default(),
            status: StatusSlot::default(),
            order: Slot::default(),
            last_cell: None,
            has_selected: false,
            chosen: None,
        };
        workspace.focused = workspace.trace_tile(desk.windows.active);
        workspace.put_torn(&torn);
        workspace
    }

    /// Returns the panels without their answers, and the places of the windows.
    pub(super) fn saved_layout(&self, desk: &Desk) -> Option<SavedLayout> {
        let (dock, torn) = kept_layout::read_all(&self.panels_text()?)?;
        Some(SavedLayout {
            dock,
            torn,
            positions: desk.saved_positions(),
            active: desk.windows.active,
        })
    }

    /// Returns the saved form of the panels, with their separate windows.
    pub(super) fn panels_text(&self) -> Option<String> {
        kept_layout::text_of(&self.dock, &|tile| self.torn_place(tile))
    }

    /// Binds a panel to a window or a moment.
    pub fn bind(&mut self, tile: PanelId, follow: Follow) {
        if let Some(Tile::Pane(pane)) = self.dock.tiles.get_mut(TileId(tile.0)) {
            pane.bind(follow);
        }
    }

    /// Selects the thread that a panel shows; none for the thread of the position.
    pub fn choose_thread(&mut self, tile: PanelId, thread: Option<String>) {
        if let Some(Tile::Pane(pane)) = self.dock.tiles.get_mut(TileId(tile.0)) {
            pane.choose_thread(thread);
        }
    }

    /// Focuses the next or previous visible panel.
    pub fn focus_next(&mut self, desk: &mut Desk, direction: Direction) {
        let visible = self.seen_tiles();
        let mut panes = layout::panes_in_order(&self.dock);
        panes.retain(|tile| visible.contains(tile));
        if direction == Direction::Back {
            panes.reverse();
        }
        let place = panes.iter().position(|tile| Some(*tile) == self.focused);
        let next = place.map_or(0, |place| (place + 1) % panes.len().max(1));
        if let Some(tile) = panes.get(next).copied() {
            self.focus(desk, tile);
        }
    }

    /// Focuses a panel and brings it to the front; a trace window becomes the active one.
    pub fn focus(&mut self, desk: &mut Desk, tile: TileId) {
        self.dock.make_active(|id, _| id == tile);
        self.focused = Some(tile);
        self.raised = Some(tile);
        if let Some(window) = self
            .dock
            .tiles
            .get_pane(&tile)
            .and_then(|pane| pane.window())
        {
            desk.windows.activate(window);
        }
    }

    /// Shows the list that an action addresses, and passes the action to it.
    pub fn list(&mut self, desk: &mut Desk, kind: PanelKind, action: &Action) {
        let tile = self.show(desk, kind);
        if let Some(Tile::Pane(Pane::Table(panel))) =
            tile.and_then(|tile| self.dock.tiles.get_mut(tile))
        {
            panel.take(action, desk);
        }
    }

    /// Lists the calls of a part of the trace.
    pub fn list_calls(&mut self, desk: &mut Desk, range: Option<StepRange>) {
        let tile = self.show(desk, PanelKind::Calls);
        if let Some(Tile::Pane(Pane::Calls(panel))) =
            tile.and_then(|tile| self.dock.tiles.get_mut(tile))
        {
            panel.list_range(range);
        }
    }

    /// Replaces all panels. Their numbers start again, so all data about closed panels is dropped.
    pub(super) fn replace_dock(&mut self, dock: Dock) {
        self.dock = dock;
        self.arrangement = None;
        self.vacancies.clear();
        self.rooms.clear();
        self.torn_windows.clear();
    }

    /// Restores the initial panels.
    pub fn reset_layout(&mut self, desk: &mut Desk, size: egui::Vec2) {
        let content = RecordedContent::of(&desk.session);
        self.replace_dock(layout::first(content, size));
        self.arrangement = Some(Arrangement::of(content, size));
        desk.windows.number_active_first();
        desk.windows.activate(WindowId(1));
        desk.windows.close_others(&[WindowId(1)]);
        self.focused = self.trace_tile(WindowId(1));
    }

    /// Arranges the initial panels anew if the window has another size, unless the user changed
    /// them.
    pub(super) fn fit_panels(&mut self, desk: &Desk, size: egui::Vec2) {
        let content = RecordedContent::of(&desk.session);
        let fitting = Arrangement::of(content, size);
        if self.arrangement.is_none_or(|known| known == fitting) {
            return;
        }
        let focused = self.focused_pane().map(Pane::kind);
        let dock = std::mem::replace(&mut self.dock, Dock::empty(egui::Id::unique("dock")));
        self.replace_dock(layout::rearranged(dock, content, size));
        (self.arrangement, self.panels_seen) = (Some(fitting), None);
        let tiles = layout::panes_in_order(&self.dock);
        let kind = |tile: &TileId| self.dock.tiles.get_pane(tile).map(Pane::kind);
        self.focused = tiles.into_iter().find(|tile| kind(tile) == focused);
    }

    /// Keeps the panels as they are when the size of the window changes.
    pub(super) fn keep_arrangement(&mut self) {
        self.arrangement = None;
    }

    /// Returns the focused panel.
    pub fn focused_pane(&self) -> Option<&Pane> {
        self.focused
            .and_then(|tile| self.dock.tiles.get_pane(&tile))
    }

    /// Returns the cell most recently under a cursor.
    pub fn cell(&self) -> Option<&CellName> {
        self.last_cell.as_ref()
    }

    /// Returns the situation that decides which commands apply.
    pub fn situation(&mut self, desk: &Desk, tok: &ThemeColors) -> CommandContext {
        let is_in_trace = self
            .focused_pane()
            .is_none_or(|pane| pane.window().is_some());
        let chosen = self
            .chosen_cell(desk)
            .filter(|_| is_in_trace)
            .map(|cell| (cell, None));
        let is_own_choice = chosen.is_some() || !is_in_trace;
        let (selected, at) = chosen.or_else(|| self.selection(desk, tok)).unzip();
        self.has_selected |= is_own_choice && selected.is_some();
        if let Some(cell) = selected.filter(|cell| Some(cell) != self.last_cell.as_ref()) {
            self.attend(&cell);
            self.last_cell = Some(cell);
        }
        let is_explained = self.has_ending_card || self.guide.is_some();
        let is_culprit_meant = match is_explained {
            true => !self.has_selected,
            false => self.last_cell.is_none(),
        };
        let (pane, here) = (self.focused_pane(), desk.windows.active().position);
        CommandContext {
            active: Some((desk.windows.active, here)),
            registers: ExampleRegisters::of_index(&desk.session.index),
            trace: desk.windows.active().trace,
            tile: self.focused.map(|tile| PanelId(tile.0)),
            is_in_trace: pane.is_none_or(|pane| pane.window().is_some()),
            is_in_cells: pane.is_some_and(|pane| pane.has_cells()),
            cell: self.last_cell.clone(),
            cell_at: at.flatten().filter(|at| *at != here),
            condition: desk.condition.clone(),
            culprit: desk
                .ending()
                .filter(|_| is_culprit_meant)
                .and_then(|report| report.ending.culprit.clone()),
            ..CommandContext::default()
        }
    }

    /// Returns the cell under the cursor of the focused panel, and the position at which it is
    /// shown.
    fn selection(
        &mut self,
        desk: &Desk,
        tok: &ThemeColors,
    ) -> Option<(CellName, Option<Position>)> {
        let tile = self.focused?;
        let WorkspaceContext { cx, dock, .. } = self.drawn(desk, tok);
        let (pane, cx) = (
            dock.tiles.get_pane(&tile)?,
            PanelContext {
                tile: PanelId(tile.0),
                has_focus: true,
                ..cx
            },
        );
        Some((pane.selection(&cx)?, pane.selection_at(&cx)))
    }

    /// Returns the context of panels, and the widgets to draw.
    pub fn drawn<'a>(&'a mut self, desk: &'a Desk, tok: &'a ThemeColors) -> WorkspaceContext<'a> {
        // No tile of the dock has this number.
        let cx = PanelContext {
            desk,
            tok,
            tile: PanelId(u64::MAX),
            has_focus: false,
        };
        WorkspaceContext {
            cx,
            dock: &mut self.dock,
            timeline: &mut self.timeline,
        }
    }

    /// Queries the cost of functions, while a panel shows it.
    pub fn look_at_functions(&mut self, desk: &mut Desk) {
        let (dock, selection) = (&self.dock, self.timeline.selection());
        desk.functions
            .advance(&desk.session, &desk.worker, selection, || {
                shows_functions(dock)
            });
    }

    /// Returns the function selected in a visible panel. A selection in a hidden panel is outdated.
    pub fn chosen_function(&self, desk: &Desk) -> Option<Address> {
        desk.functions
            .selected()
            .filter(|_| shows_functions(&self.dock))
    }

    /// Returns the tile of a trace window.
    pub fn trace_tile(&self, window: WindowId) -> Option<TileId> {
        self.tiles_of_window(window).first().copied()
    }

    pub(super) fn tiles_of_window(&self, window: WindowId) -> Vec<TileId> {
        let mut tiles = layout::panes_in_order(&self.dock);
        tiles.retain(|tile| {
            self.dock
                .tiles
                .get_pane(tile)
                .is_some_and(|pane| pane.window() == Some(window))
        });
        tiles
    }

    /// Returns the focused panel if it is of a kind, or else the first panel of that kind.
    pub(super) fn find(&self, kind: PanelKind) -> Option<TileId> {
        let is_kind = |tile: &TileId| {
            self.dock
                .tiles
                .get_pane(tile)
                .is_some_and(|pane| pane.kind() == kind)
        };
        let focused = self.focused.filter(is_kind);
        focused.or_else(|| layout::panes_in_order(&self.dock).into_iter().find(is_kind))
    }

    /// Brings a panel of a kind to the front, opening one if there is none. The focus does not
    /// move.
    pub fn reveal_panel(&mut self, desk: &mut Desk, kind: PanelKind) {
        if self.find(kind).is_some() {
            return self.reveal(kind);
        }
        let focused = self.focused;
        self.show(desk, kind);
        if let Some(tile) = focused {
            self.focused = Some(tile);
        }
    }

    pub(super) fn reveal(&mut self, kind: PanelKind) {
        if let Some(tile) = self.find(kind) {
            self.dock.make_active(|id, _| id == tile);
        }
    }

    pub(super) fn any_tile(&self) -> Option<TileId> {
        layout::panes_in_order(&self.dock).first().copied()
    }
}

/// Returns true if a panel about functions is visible.
fn shows_functions(dock: &Dock) -> bool {
    let kind = |tile: TileId| dock.tiles.get_pane(&tile).map(|pane| pane.kind());
    let is_one = |kind| matches!(kind, PanelKind::Functions | PanelKind::FlameGraph);
    let torn = layout::panes_in_order(dock)
        .into_iter()
        .filter(|tile| !dock.is_visible(*tile));
    dock.active_tiles()
        .into_iter()
        .chain(torn)
        .filter_map(kind)
        .any(is_one)
}

/// Returns the saved panels. Positions beyond the indexed part are applied once it is indexed.
fn restored(desk: &mut Desk, saved: SavedLayout) -> Dock {
    let mut dock = saved.dock;
    let mut places = Vec::new();
    for tile in layout::panes_in_order(&dock) {
        let Some(Tile::Pane(pane)) = dock.tiles.get_mut(tile) else {
            continue;
        };
        pane.renew();
        let Some(window) = pane.window() else {
            continue;
        };
        let known = saved.positions.iter().find(|(id, _)| *id == window);
        places.push((
            window,
            known.map_or(Position(0), |(_, moment)| moment.position),
        ));
    }
    desk.place_windows(&places);
    desk.windows.activate(saved.active);
    dock
}
