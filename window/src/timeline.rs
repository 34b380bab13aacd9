//! Timeline strip, with a height that the user can drag.

use egui::{CursorIcon, Frame, Panel, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_debugger::action::Action;
use stepback_debugger::messages::say;

use super::app::App;
use super::workspace::WorkspaceContext;
use crate::panels::timeline_ui;
use crate::theme::ThemeColors;

/// Maximum share of the window's height that the user can choose, and that in a low window; the
/// panels keep the rest.
const MOST: HeightShare = HeightShare {
    usual: 0.6,
    low: 0.36,
};
/// Maximum share of the automatic height, and that in a low window.
const MOST_AUTOMATIC: HeightShare = HeightShare {
    usual: 0.3,
    low: 0.18,
};
/// Height in points of a low window.
const LOW: f32 = 600.0;
/// Minimum height in points.
const LEAST: f32 = 72.0;
/// Grab area above and below the lower edge, in points.
const ABOVE: f32 = 5.0;
const BELOW: f32 = 5.0;

/// Share of the height of a window, and that of a low window.
struct HeightShare {
    usual: f32,
    low: f32,
}

impl HeightShare {
    /// Returns the share of a window of a height in points.
    fn of(&self, height: f32) -> f32 {
        if height < LOW { self.low } else { self.usual }
    }
}

impl App {
    /// Draws the timeline. Returns its area.
    pub(super) fn timeline(
        &mut self,
        ui: &mut Ui,
        tok: &'static ThemeColors,
        out: &mut Vec<Action>,
    ) -> Option<Rect> {
        let (workspace, desk) = (self.workspace.as_mut()?, self.program.desk.as_ref()?);
        let window = ui.ctx().content_rect().height();
        let heights = workspace.timeline.heights();
        let height = match desk.timeline_share {
            // Below its content the timeline would be empty.
            Some(share) => (window * share.min(MOST.of(window))).min(heights.whole),
            None => heights.usual.min(window * MOST_AUTOMATIC.of(window)),
        };
        let height = height.max(LEAST).round();
        let panel = Panel::top("timeline")
            .resizable(false)
            .exact_size(height)
            .show_separator_line(false);
        let cell = workspace.cell().cloned();
        let shown = panel.frame(Frame::new().fill(tok.bg1)).show(ui, |ui| {
            let WorkspaceContext { cx, timeline, .. } = workspace.drawn(desk, tok);
            timeline_ui(ui, &cx, cell.as_ref(), timeline, out);
        });
        Some(shown.response.rect)
    }

    /// Handles the lower edge of the timeline: dragging changes the height, and a double click
    /// restores the default. It is drawn after the panels below it, so that their part of the grab
    /// area works too.
    pub(super) fn timeline_grip(&mut self, ui: &Ui, strip: Rect, tok: &ThemeColors) {
        let edge = strip.bottom();
        let grip = Rect::from_min_max(
            pos2(strip.left(), edge - ABOVE),
            pos2(strip.right(), edge + BELOW),
        );
        let response = ui.interact(
            grip,
            ui.unique_id().with("timeline edge"),
            Sense::CLICK | Sense::DRAG,
        );
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Splitter,
                true,
                say!("timeline-height-of-the-timeline"),
            )
        });
        let is_held = response.hovered() || response.dragged();
        if is_held {
            ui.set_cursor_icon(CursorIcon::ResizeVertical);
            let line = Rect::from_min_max(
                pos2(strip.left(), edge - 1.0),
                pos2(strip.right(), edge + 1.0),
            );
            ui.painter().rect_filled(
                line,
                0.0,
                if response.dragged() {
                    tok.focus
                } else {
                    tok.ctl
                },
            );
        }
        let knob = Rect::from_center_size(pos2(strip.center().x, edge - 2.0), vec2(36.0, 3.0));
        ui.painter()
            .rect_filled(knob, 1.5, if is_held { tok.t2 } else { tok.line2 });
        let Some(desk) = self.program.desk.as_mut() else {
            return;
        };
        if response.double_clicked() {
            desk.timeline_share = None;
        } else if let Some(pointer) = response
            .interact_pointer_pos()
            .filter(|_| response.dragged())
        {
            let window = ui.ctx().content_rect().height();
            let share = (pointer.y - strip.top()).max(LEAST) / window;
            desk.timeline_share = Some(share.min(MOST.of(window)));
        }
        if !response.is_pointer_button_down_on() && !response.dragged() {
            response.on_hover_text_at_pointer(say!("timeline-drag-height-of-the-timeline"));
        }
    }
}
