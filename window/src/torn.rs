//! Panels in separate windows, on any screen.
//!
//! Such a panel keeps a hidden tile in the dock: the panel returns to it, and actions refer to it
//! as before.

use egui::{
    CentralPanel, Frame, Layout, Pos2, Rect, Ui, UiBuilder, ViewportBuilder, ViewportClass,
    ViewportCommand, ViewportId, pos2,
};
use egui_tiles::{Tile, TileId};
use stepback_debugger::action::{Action, PanelAction, PanelId};
use stepback_debugger::desk::{Desk, Tone};
use stepback_debugger::messages::say;

use crate::app::App;
use crate::kept_layout::{TornWindowPlace, WINDOWS};
use crate::layout::panes_in_order;
use crate::panels::PanelContext;
use crate::pointer_rest::PointerRest;
use crate::pressed::takes_keyboard;
use crate::tab_strip;
use crate::tab_strip::{PanelPlace, TabStrip};
use crate::theme::ThemeColors;
use crate::widgets::line_below;
use crate::workspace::{TornWindow, Workspace, WorkspaceContext};

/// Size of a window that was never open, in points.
const SIZE: [f32; 2] = [720.0, 520.0];

impl Workspace {
    /// Returns the panels in separate windows.
    pub fn torn(&self) -> Vec<TileId> {
        let mut tiles = panes_in_order(&self.dock);
        tiles.retain(|tile| !self.dock.is_visible(*tile));
        tiles
    }

    /// Returns the visible panels, in the main window and in separate ones.
    pub(super) fn seen_tiles(&self) -> Vec<TileId> {
        let mut tiles = self.dock.active_tiles();
        tiles.extend(self.torn());
        tiles
    }

    /// Returns the place of a panel's window.
    pub(super) fn torn_place(&self, tile: TileId) -> Option<TornWindowPlace> {
        self.torn_windows.get(&tile).map(|window| window.now)
    }

    /// Sets the places at which the windows open.
    pub(super) fn put_torn(&mut self, places: &[(TileId, TornWindowPlace)]) {
        let window = |(tile, place): &(TileId, TornWindowPlace)| {
            let (opened, now) = (*place, *place);
            (*tile, TornWindow { opened, now })
        };
        self.torn_windows = places.iter().map(window).collect();
    }

    /// Moves a panel to a separate window. Returns false for the last panel of the main window.
    fn tear_off(&mut self, tile: TileId) -> bool {
        let in_dock = panes_in_order(&self.dock)
            .into_iter()
            .filter(|tile| self.dock.is_visible(*tile))
            .count();
        if in_dock < 2 || self.dock.tiles.get_pane(&tile).is_none() {
            return false;
        }
        // The window reopens at its last place.
        if let Some(window) = self.torn_windows.get_mut(&tile) {
            window.opened = window.now;
        }
        self.dock.set_visible(tile, false);
        true
    }

    /// Returns a panel, or all panels, to their tiles.
    pub(super) fn put_back(&mut self, desk: &mut Desk, tile: Option<PanelId>) {
        let back: Vec<TileId> = tile.map_or_else(|| self.torn(), |tile| vec![TileId(tile.0)]);
        for tile in back {
            self.dock.set_visible(tile, true);
            self.focus(desk, tile);
        }
    }

    /// Makes the window of a panel open with its title under the pointer.
    pub(super) fn put_torn_at(&mut self, tile: TileId, pointer: Pos2) {
        let corner = Some([pointer.x - SIZE[0] / 2.0, pointer.y]);
        let window = self.torn_window(tile);
        window.now.corner = corner;
        window.opened.corner = corner;
    }

    fn torn_window(&mut self, tile: TileId) -> &mut TornWindow {
        let place = TornWindowPlace {
            size: SIZE,
            corner: None,
        };
        self.torn_windows.entry(tile).or_insert(TornWindow {
            opened: place,
            now: place,
        })
    }
}

impl App {
    /// Moves a panel, by default the focused one, to a separate window. A panel that already has
    /// one returns to its tile.
    pub(super) fn tear_off(&mut self, tile: Option<PanelId>) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        let Some(tile) = tile.map(|panel| TileId(panel.0)).or(workspace.focused) else {
            return;
        };
        if !workspace.dock.is_visible(tile) {
            return workspace.put_back(desk, Some(PanelId(tile.0)));
        }
        if workspace.torn().len() >= WINDOWS {
            return self
                .toasts
                .show(Tone::Info, &say!("torn-many", number = WINDOWS as u64));
        }
        if !workspace.tear_off(tile) {
            self.toasts.show(Tone::Info, say!("torn-last"));
        }
    }

    /// Draws the windows of panels.
    pub(super) fn torn_ui(&mut self, ui: &Ui, tok: &'static ThemeColors, out: &mut Vec<Action>) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        let name = desk.name();
        let torn = workspace.torn();
        if let Some(raised) = workspace.raised.take() {
            bring_to_front(
                ui,
                if torn.contains(&raised) {
                    window_of(raised)
                } else {
                    ViewportId::ROOT
                },
            );
        }
        for tile in torn {
            let Some(workspace) = self.workspace.as_mut() else {
                return;
            };
            let Some(panel) = workspace
                .dock
                .tiles
                .get_pane(&tile)
                .map(|pane| pane.title())
            else {
                continue;
            };
            let TornWindowPlace { size, corner } = workspace.torn_window(tile).opened;
            let title = say!("torn-title", panel = panel, trace = name.as_str());
            let mut builder = ViewportBuilder::default()
                .with_title(title)
                .with_inner_size(size);
            if let Some(corner) = corner {
                builder = builder.with_position(corner);
            }
            ui.ctx()
                .show_viewport_immediate(window_of(tile), builder, |ui, class| {
                    self.torn_window_ui(ui, tile, class, tok, out);
                });
        }
    }

    fn torn_window_ui(
        &mut self,
        ui: &mut Ui,
        tile: TileId,
        class: ViewportClass,
        tok: &'static ThemeColors,
        out: &mut Vec<Action>,
    ) {
        let is_native = class != ViewportClass::EmbeddedWindow;
        let viewport = ui.input(|input| input.viewport().clone());
        let is_used = ui.input(|input| !input.events.is_empty() || input.pointer.any_pressed());
        if is_native && viewport.close_requested() {
            out.push(Action::Panel(PanelAction::PutBack(Some(PanelId(tile.0)))));
        }
        if let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        {
            let window = workspace.torn_window(tile);
            if let Some(inner) = viewport.inner_rect.filter(|_| is_native) {
                window.now.size = inner.size().into();
            }
            if let Some(outer) = viewport.outer_rect.filter(|_| is_native) {
                window.now.corner = Some([outer.left(), outer.top()]);
            }
            if is_native
                && is_used
                && viewport.focused == Some(true)
                && workspace.focused != Some(tile)
            {
                workspace.focus(desk, tile);
            }
        }
        self.pointer_rest.look_at(ui);
        if is_native {
            let situation = self.situation(tok);
            let requested = self.pressed(ui, &situation);
            // Overlays that take the keyboard are in the main window.
            if self.palette.is_some() || requested.iter().any(takes_keyboard) {
                bring_to_front(ui, ViewportId::ROOT);
            }
            out.extend(requested);
        }
        let is_covered = self.is_covered() || self.context.text_edit_focused();
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        let has_focus = workspace.focused == Some(tile) && !is_covered;
        let WorkspaceContext { cx, dock, .. } = workspace.drawn(desk, tok);
        let Some(Tile::Pane(pane)) = dock.tiles.get_mut(tile) else {
            return;
        };
        let mut is_clicked = false;
        let pointer = self.pointer_rest.take(ui);
        CentralPanel::default()
            .frame(Frame::new().fill(tok.bg1))
            .show(ui, |ui| {
                let whole = if is_native {
                    ui.max_rect()
                } else {
                    Rect::from_min_size(ui.max_rect().min, SIZE.into())
                };
                let strip = whole.with_max_y(whole.top() + tab_strip::HEIGHT);
                ui.painter().rect_filled(strip, 0.0, tok.bg2);
                let layout = Layout::right_to_left(egui::Align::Center);
                ui.scope_builder(UiBuilder::new().max_rect(strip).layout(layout), |ui| {
                    let strip = TabStrip {
                        pane,
                        tile,
                        windows: &cx.desk.windows,
                        place: PanelPlace::Window,
                        titles: 0.0,
                    };
                    tab_strip::strip_end_ui(ui, &strip, out);
                });
                line_below(ui.painter(), strip, tok.line);
                let body = Rect::from_min_max(pos2(whole.left(), strip.bottom()), whole.max);
                is_clicked =
                    ui.input(|input| input.pointer.any_pressed()) && ui.rect_contains_pointer(body);
                let cx = PanelContext {
                    tile: PanelId(tile.0),
                    has_focus,
                    ..cx
                };
                ui.scope_builder(UiBuilder::new().max_rect(body), |ui| {
                    ui.set_clip_rect(body.intersect(ui.clip_rect()));
                    pane.ui(ui, &cx, out);
                });
                ui.advance_cursor_after_rect(whole);
            });
        PointerRest::put_back(ui, pointer);
        if is_clicked {
            workspace.focus(desk, tile);
        }
    }
}

fn window_of(tile: TileId) -> ViewportId {
    ViewportId::from_hash_of(("panel", tile.0))
}

/// Focuses a window of the program if another one of its windows has the focus; never takes the
/// focus from other programs.
fn bring_to_front(ui: &Ui, window: ViewportId) {
    let has_focus = |id: ViewportId| {
        ui.input(|input| {
            input
                .raw
                .viewports
                .get(&id)
                .is_some_and(|viewport| viewport.focused == Some(true))
        })
    };
    let is_ours = ui
        .input(|input| input.raw.viewports.keys().copied().collect::<Vec<_>>())
        .into_iter()
        .any(has_focus);
    if is_ours && !has_focus(window) {
        ui.ctx()
            .send_viewport_cmd_to(window, ViewportCommand::Focus);
    }
}
