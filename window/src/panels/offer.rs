//! Message in place of rows, with a button that may help.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::Action;

use crate::panels::pen::Pen;
use crate::panels::row::{EmptyMessage, message_ui};
use crate::theme::ui as ui_font;

/// Reason why there are no rows, and a button that may help.
pub struct PanelOffer<'a> {
    pub icon: char,
    pub words: EmptyMessage<'a>,
    pub button: &'a str,
    pub action: Action,
}

/// Height of the button, and the gap above it.
const HEIGHT: f32 = 26.0;
const GAP: f32 = 10.0;
/// Minimum width of the button, and the margins of its label.
const LEAST_WIDTH: f32 = 96.0;
const MARGINS: f32 = 20.0;

impl PanelOffer<'_> {
    pub fn ui(self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, out: &mut Vec<Action>) {
        let above = rect.with_max_y(rect.bottom() - HEIGHT - GAP);
        let words_end = message_ui(ui, pen, above, self.icon, self.words);
        let top = (words_end + GAP).min(rect.bottom() - HEIGHT - 2.0);
        let label = pen.width(self.button, ui_font(13.0)) + MARGINS;
        let size = vec2(label.max(LEAST_WIDTH).min(rect.width()), HEIGHT);
        let center = pos2(rect.center().x, top + HEIGHT / 2.0);
        let place = Rect::from_center_size(center, size);
        let button = egui::Button::new(self.button).truncate();
        if ui.put(place, button).on_hover_text(self.words.1).clicked() {
            out.push(self.action);
        }
    }
}
