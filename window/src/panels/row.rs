//! Clickable items: rows, links, small buttons. Each has a name for screen readers and tests.

use egui::{Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_parsers::Step;

use super::pen::Pen;
use crate::theme::{mono, ui as ui_font};
use stepback_debugger::action::{Action, AppAction, Moment, PanelAction, TraceId, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::model::text::thousands;

/// Makes a row clickable. Rows are not in the Tab order: arrows move within a panel.
pub fn row_response(
    ui: &Ui,
    rect: Rect,
    salt: impl egui::AsIdSalt,
    name: impl Fn() -> String,
) -> Response {
    let response = ui.interact(rect, ui.unique_id().with(salt), Sense::CLICK);
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, name()));
    response
}

/// Makes a small painted button clickable.
pub fn button_response(ui: &Ui, rect: Rect, salt: impl egui::AsIdSalt, name: &str) -> Response {
    let response = ui.interact(rect, ui.unique_id().with(salt), Sense::CLICK);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    response
}

/// Highlights of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowState {
    /// Chosen, or the step that was just done.
    pub is_selected: bool,
    pub is_cursor: bool,
    /// The panel has the keyboard.
    pub has_focus: bool,
}

/// Paints the background of a row.
pub fn row_background(pen: &Pen<'_>, rect: Rect, response: &Response, state: RowState) {
    let tok = pen.tok;
    if state.is_selected {
        pen.fill(rect, if state.has_focus { tok.sel } else { tok.bg3 });
    } else if response.hovered() {
        pen.fill(rect, tok.hover);
    }
    if state.is_cursor && state.has_focus {
        pen.frame(rect.shrink(1.0), 0, tok.focus);
    }
}

/// A link to a step. A click travels to just after it; a middle or Ctrl+click opens a window there.
#[derive(Clone, Copy, Debug)]
pub struct StepLink {
    pub step: Step,
    pub trace: TraceId,
    /// Window that travels.
    pub window: WindowId,
}

impl StepLink {
    /// Measures the width of the link.
    pub fn width(self, pen: &Pen<'_>) -> f32 {
        pen.width(&thousands(self.step.0), mono(12.0))
    }

    /// Paints the link from `x` on, vertically centred at `y`. Returns its right edge.
    pub fn ui(self, ui: &Ui, pen: &Pen<'_>, x: f32, y: f32, out: &mut Vec<Action>) -> f32 {
        let text = thousands(self.step.0);
        let width = self.width(pen);
        let rect = Rect::from_min_size(pos2(x, y - 8.0), vec2(width, 16.0));
        let salt = ("step link", x.to_bits(), y.to_bits(), self.step.0);
        let response = ui.interact(rect, ui.unique_id().with(salt), Sense::CLICK);
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Link, true, say!("row-to-step", text = &text))
        });
        let color = pen.tok.accent;
        let end = pen.text(x, y, text, mono(12.0), color);
        if response.hovered() {
            pen.line_across(x, end, y + 7.0, color);
            ui.set_cursor_icon(egui::CursorIcon::PointingHand);
        }
        self.act(ui, &response, out);
        end
    }

    fn act(self, ui: &Ui, response: &Response, out: &mut Vec<Action>) {
        let to = Moment {
            trace: self.trace,
            position: self.step.after(),
        };
        if response.middle_clicked()
            || (response.clicked() && ui.input(|input| input.modifiers.command))
        {
            out.push(Action::Panel(PanelAction::OpenWindowAt(to)));
        } else if response.clicked() {
            out.push(Action::travel(self.window, to.position));
        }
    }
}

/// Reason why there is nothing to show, and advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyMessage<'a>(pub &'a str, pub &'a str);

/// Paints a panel without content: an icon, one sentence, one of advice.
pub fn empty_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, shape: char, words: EmptyMessage<'_>) {
    let EmptyMessage(sentence, advice) = words;
    // In a low panel the words matter more than the icon.
    let has_icon = rect.height() >= 96.0;
    let center = rect.center()
        - if has_icon {
            vec2(0.0, 0.0)
        } else {
            vec2(0.0, 10.0)
        };
    if has_icon {
        pen.icon(center - vec2(0.0, 29.0), shape, 26.0, pen.tok.t3);
    }
    pen.text_centered(center, sentence, crate::theme::medium(13.0), pen.tok.t1);
    pen.text_centered(center + vec2(0.0, 20.0), advice, ui_font(12.0), pen.tok.t3);
    let response = ui.interact(rect, ui.unique_id().with("empty"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, sentence));
}

/// Paints the error of a failed query and a button that copies it.
pub fn error_ui(ui: &mut Ui, pen: &Pen<'_>, rect: Rect, error: &str, out: &mut Vec<Action>) {
    let center = rect.center();
    pen.icon(
        center - vec2(0.0, 29.0),
        crate::theme::icons::ERROR,
        26.0,
        pen.tok.err,
    );
    let width = (rect.width() - 32.0).max(0.0);
    let galley = pen
        .painter
        .layout(error.to_owned(), ui_font(12.0), pen.tok.t1, width);
    let (left, height) = (center.x - galley.size().x / 2.0, galley.size().y);
    pen.painter.galley(
        pos2(left.round(), (center.y - 8.0).round()),
        galley,
        pen.tok.t1,
    );
    let response = ui.interact(rect, ui.unique_id().with("error"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, error));
    let button = Rect::from_center_size(pos2(center.x, center.y + height + 14.0), vec2(64.0, 26.0));
    if ui
        .put(button, egui::Button::new(say!("row-copy")))
        .clicked()
    {
        out.push(Action::App(AppAction::Copy(error.to_owned())));
    }
}

/// Requests a repaint for the time when a pending answer counts as late, so that the view reports
/// it.
pub fn watch_for_late(ui: &Ui) {
    ui.ctx()
        .request_repaint_after(stepback_debugger::worker::LATE_AFTER);
}

/// Paints three bars in place of rows that are still loading.
pub fn loading_ui(pen: &Pen<'_>, rect: Rect) {
    for (place, width) in [(0u8, 0.5), (1, 0.7), (2, 0.4)] {
        let top = rect.top() + 12.0 + 18.0 * f32::from(place);
        let bar = Rect::from_min_size(
            pos2(rect.left() + 12.0, top),
            vec2((rect.width() - 24.0) * width, 8.0),
        );
        pen.painter
            .rect_filled(bar.intersect(rect), 2.0, pen.tok.bg3);
    }
}
