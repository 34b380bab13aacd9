//! Drawing of the panels in a dock.

use std::collections::HashMap;

use egui::{Color32, Id, Response, Stroke, StrokeKind, Ui, WidgetText};
use egui_tiles::{Behavior, SimplificationOptions, TabState, Tabs, TileId, Tiles, UiResponse};
use stepback_debugger::action::{Action, PanelAction, PanelId};
use stepback_debugger::messages::say;

use super::tab_strip;
use super::tab_strip::{PanelPlace, TabStrip};
use crate::panels::{Pane, PanelContext};

/// Data that the panels of a dock read, and their output.
pub struct DockView<'a> {
    pub cx: PanelContext<'a>,
    /// The focused tile.
    pub focused: Option<TileId>,
    /// True if a panel has the keyboard, and not a dialog or the palette.
    pub is_keyboard_here: bool,
    /// The tile that was clicked in this frame.
    pub clicked: Option<TileId>,
    /// Widths of tabs in points, 0 for hidden ones.
    pub widths: HashMap<TileId, f32>,
    pub out: &'a mut Vec<Action>,
}

impl DockView<'_> {
    /// Sets the widths of the tabs so that all fit, and lists the hidden ones in a menu.
    fn fit_tabs(&mut self, tiles: &Tiles<Pane>, ui: &mut Ui, tabs: &Tabs) {
        let seen = tabs
            .children
            .iter()
            .filter(|tile| tiles.is_visible_in_layout(**tile));
        let panes: Vec<(TileId, &Pane)> = seen
            .filter_map(|tile| Some((*tile, tiles.get_pane(tile)?)))
            .collect();
        let wanted: Vec<f32> = panes
            .iter()
            .map(|(_, pane)| tab_strip::tab_width(ui, pane))
            .collect();
        let active = panes
            .iter()
            .position(|(tile, _)| Some(*tile) == tabs.active)
            .unwrap_or(0);
        let more = tab_strip::more_width(ui, wanted.len()) + 4.0;
        let widths = tab_strip::fitted(&wanted, active, ui.available_width() - 4.0, more);
        let hidden: Vec<(TileId, String)> = panes
            .iter()
            .zip(&widths)
            .filter(|(_, wide)| **wide <= 0.0)
            .map(|((tile, pane), _)| (*tile, pane.title()))
            .collect();
        self.widths
            .extend(panes.iter().map(|(tile, _)| *tile).zip(widths));
        if !hidden.is_empty()
            && let Some(tile) = tab_strip::more_ui(ui, &hidden)
        {
            self.clicked = Some(tile);
        }
    }

    fn pane_cx(&self, tile: TileId) -> PanelContext<'_> {
        PanelContext {
            tile: PanelId(tile.0),
            has_focus: self.is_keyboard_here && self.focused == Some(tile),
            ..self.cx
        }
    }
}

impl Behavior<Pane> for DockView<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, tile: TileId, pane: &mut Pane) -> UiResponse {
        let rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, self.cx.tok.bg1);
        let is_pressed = ui.input(|input| input.pointer.any_pressed());
        if is_pressed && ui.rect_contains_pointer(rect) {
            self.clicked = Some(tile);
        }
        let mut requested = Vec::new();
        let cx = self.pane_cx(tile);
        let has_focus = cx.has_focus;
        ui.set_clip_rect(rect.intersect(ui.clip_rect()));
        pane.ui(ui, &cx, &mut requested);
        self.out.append(&mut requested);
        if has_focus {
            let ring = Stroke::new(1.0, self.cx.tok.focus.gamma_multiply(0.75));
            ui.painter()
                .rect_stroke(rect, 0.0, ring, StrokeKind::Inside);
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        pane.title().into()
    }

    fn tab_ui(
        &mut self,
        tiles: &mut Tiles<Pane>,
        ui: &mut Ui,
        id: Id,
        tile: TileId,
        state: &TabState,
    ) -> Response {
        let Some(pane) = tiles.get_pane(&tile) else {
            // A container is in tabs only while it is being dragged there.
            return ui.selectable_label(state.active, say!("dock-panels"));
        };
        let wide = self
            .widths
            .get(&tile)
            .copied()
            .unwrap_or_else(|| tab_strip::tab_width(ui, pane));
        if wide <= 0.0 {
            return ui.interact(egui::Rect::NOTHING, id, egui::Sense::hover());
        }
        let response = tab_strip::tab_ui(ui, id, pane, state, wide);
        if response.clicked() {
            self.clicked = Some(tile);
        }
        if response.middle_clicked() {
            self.out
                .push(Action::Panel(PanelAction::ClosePanel(PanelId(tile.0))));
        }
        response
    }

    fn top_bar_right_ui(
        &mut self,
        tiles: &Tiles<Pane>,
        ui: &mut Ui,
        _: TileId,
        tabs: &Tabs,
        _: &mut f32,
    ) {
        if let Some((tile, pane)) = tabs
            .active
            .and_then(|tile| Some((tile, tiles.get_pane(&tile)?)))
        {
            let panes = tabs.children.iter().filter_map(|tile| tiles.get_pane(tile));
            let strip = TabStrip {
                titles: panes.map(|pane| tab_strip::tab_width(ui, pane)).sum(),
                pane,
                tile,
                windows: &self.cx.desk.windows,
                place: PanelPlace::Dock,
            };
            tab_strip::strip_end_ui(ui, &strip, self.out);
        }
        self.fit_tabs(tiles, ui, tabs);
    }

    fn tab_bar_color(&self, _: &egui::Visuals) -> Color32 {
        self.cx.tok.bg2
    }

    fn tab_bar_hline_stroke(&self, _: &egui::Visuals) -> Stroke {
        Stroke::new(1.0, self.cx.tok.line)
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        tab_strip::HEIGHT
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        4.0
    }

    fn min_size(&self) -> f32 {
        96.0
    }

    fn resize_stroke(&self, _: &egui::Style, state: egui_tiles::ResizeState) -> Stroke {
        match state {
            egui_tiles::ResizeState::Idle => Stroke::NONE,
            egui_tiles::ResizeState::Hovering => Stroke::new(2.0, self.cx.tok.ctl),
            egui_tiles::ResizeState::Dragging => Stroke::new(2.0, self.cx.tok.focus),
        }
    }

    fn drag_preview_color(&self, _: &egui::Visuals) -> Color32 {
        self.cx.tok.accent.gamma_multiply(0.18)
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions {
            all_panes_must_have_tabs: true,
            ..SimplificationOptions::default()
        }
    }
}
