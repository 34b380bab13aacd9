//! The "Find" field of the toolbar.

use egui::{
    Align2, Frame, Id, Key, Rect, Sense, Stroke, StrokeKind, TextEdit, Ui, WidgetInfo, pos2, vec2,
};

use super::widgets::{BUTTON_HEIGHT, width};
use crate::theme::{ThemeColors, icon, icons, mono, ui as ui_font};
use stepback_debugger::action::{Action, FindQuery, SearchAction};
use stepback_debugger::desk::FindState;
use stepback_debugger::desk::words::count;
use stepback_debugger::messages::say;

/// State of the field.
#[derive(Default)]
pub struct FindBox {
    text: String,
    /// Number of the displayed search.
    number: u64,
}

impl FindBox {
    pub fn ui(&mut self, ui: &mut Ui, wide: f32, find: &FindState, out: &mut Vec<Action>) {
        if self.number != find.number() {
            self.number = find.number();
            self.text = find
                .question()
                .map(|question| question.text.clone())
                .unwrap_or_default();
        }
        let tok = ThemeColors::current(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(wide, BUTTON_HEIGHT), Sense::hover());
        let painter = ui.painter();
        painter.rect_filled(rect, 4.0, tok.bg1);
        painter.text(
            rect.left_center() + vec2(9.0, 0.0),
            Align2::LEFT_CENTER,
            icons::SEARCH,
            icon(14.0),
            tok.t2,
        );
        let found = find.found().map(|found| count(found.count()));
        let told = found.map_or(0.0, |found| {
            let right = rect.right_center() - vec2(8.0, 0.0);
            painter.text(right, Align2::RIGHT_CENTER, &found, mono(11.5), tok.t3);
            width(ui, &found, &mono(11.5)) + 8.0
        });
        let inner = Rect::from_min_max(
            rect.min + vec2(29.0, 0.0),
            pos2(rect.right() - told - 8.0, rect.bottom()),
        );
        let hint = egui::RichText::new(say!("find-find"))
            .font(ui_font(12.5))
            .color(tok.t3);
        let font = if self.text.is_empty() {
            ui_font(12.5)
        } else {
            mono(12.5)
        };
        let edit = TextEdit::singleline(&mut self.text)
            .id(Id::unique("find in toolbar"))
            .hint_text(hint);
        let edit = edit
            .font(font)
            .frame(Frame::NONE)
            .desired_width(inner.width())
            .align(Align2::LEFT_CENTER);
        // Placed directly, so that the rest of the toolbar does not move.
        let response = ui.place(inner, edit);
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::TextInput, true, say!("find-find-in-the-trace"))
        });
        let stroke = match (find.error(), response.has_focus()) {
            (_, true) => Stroke::new(2.0, tok.focus),
            (Some(_), false) => Stroke::new(1.0, tok.err),
            (None, false) => Stroke::new(1.0, tok.ctl),
        };
        ui.painter()
            .rect_stroke(rect, 4.0, stroke, StrokeKind::Inside);
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
            // Restores the text of the current search.
            self.text = find
                .question()
                .map(|question| question.text.clone())
                .unwrap_or_default();
        }
        let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if is_entered && !self.text.trim().is_empty() {
            out.push(Action::Search(SearchAction::Find(FindQuery {
                text: self.text.clone(),
                ..FindQuery::default()
            })));
        }
    }
}
