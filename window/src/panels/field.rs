//! A one-line text field with an icon, as at the top of panels.

use egui::{Rect, Response, Role, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use super::pen::Pen;
use crate::theme::{icon, ui as ui_font};

/// A text field and its decoration.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Hint while the field is empty; also its name for screen readers.
    pub hint: &'a str,
    pub icon: char,
}

impl Field<'_> {
    /// Draws the field into a rectangle 22 points high.
    pub fn ui(self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, text: &mut String) -> Response {
        let tok = pen.tok;
        pen.painter.rect(
            rect,
            4.0,
            tok.bg1,
            Stroke::new(1.0, tok.ctl),
            StrokeKind::Inside,
        );
        pen.text_centered(
            rect.left_center() + vec2(13.0, 0.0),
            self.icon,
            icon(14.0),
            tok.t3,
        );
        let inner = Rect::from_min_max(rect.min + vec2(26.0, 0.0), rect.max - vec2(6.0, 0.0));
        let edit = egui::TextEdit::singleline(text)
            .id(ui.unique_id().with(self.hint))
            .frame(egui::Frame::NONE)
            .margin(egui::Margin::ZERO)
            .font(ui_font(12.0))
            .text_color(tok.t1)
            .hint_text(egui::RichText::new(self.hint).color(tok.t3))
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(inner.width());
        let response = ui.put(inner, edit);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, self.hint));
        if response.has_focus() {
            pen.painter
                .rect_stroke(rect, 4.0, Stroke::new(2.0, tok.focus), StrokeKind::Inside);
        }
        response
    }
}
