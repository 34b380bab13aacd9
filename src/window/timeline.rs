//! The strip with the timeline: as tall as the user drags it.

use egui::{Frame, Panel, Ui};

use super::app::App;
use super::layout::TIMELINE;
use super::workspace::Drawn;
use crate::action::Action;
use crate::panels::timeline_ui;
use crate::theme::Tok;

/// The panels keep this share of the window.
const MOST: f32 = 0.6;

impl App {
    /// Draws the timeline, and keeps its height where that was dragged.
    pub(super) fn timeline(&mut self, ui: &mut Ui, tok: &'static Tok, out: &mut Vec<Action>) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let window = ui.ctx().content_rect().height();
        let usual = if window < 900.0 { 132.0 } else { 148.0 };
        let range = *TIMELINE.start()..=(window * MOST).max(*TIMELINE.start());
        let panel = Panel::top("timeline").resizable(true).size_range(range).show_separator_line(false);
        let panel =
            panel.default_size(self.settings.timeline_height.unwrap_or(usual)).frame(Frame::new().fill(tok.bg1));
        let cell = workspace.cell().cloned();
        let shown = panel.show(ui, |ui| {
            let Drawn { cx, timeline, .. } = workspace.drawn(&self.worker, tok);
            timeline_ui(ui, &cx, cell.as_ref(), timeline, out);
        });
        let height = shown.response.rect.height();
        // Only a drag chooses: the window's own size may press it smaller, too.
        let is_dragged = ui.input(|input| input.pointer.any_down() || input.pointer.any_released());
        if is_dragged && (height - self.settings.timeline_height.unwrap_or(usual)).abs() > 0.5 {
            self.settings.timeline_height = Some(height);
        }
    }
}
