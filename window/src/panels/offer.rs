//! Message in place of rows, with a button that may help.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::Action;

use crate::panels::pen::Pen;
use crate::panels::row::{EmptyMessage, empty_ui};
use crate::theme::ui as ui_font;

/// Reason why there are no rows, and a button that may help.
pub struct PanelOffer<'a> {
    pub icon: char,
    pub words: EmptyMessage<'a>,
    pub button: &'a str,
    pub action: Action,
}

/// Minimum height of a panel in which the advice is shown above the button.
const WITH_ADVICE: f32 = 124.0;
/// Minimum width of the button, and the margins of its label.
const LEAST_WIDTH: f32 = 96.0;
const MARGINS: f32 = 20.0;

impl PanelOffer<'_> {
    pub fn ui(self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, out: &mut Vec<Action>) {
        // In a low panel the button matters more than the advice.
        let (words, below) = match rect.height() {
            WITH_ADVICE.. => (self.words, 48.0),
            _ => (EmptyMessage(self.words.0, ""), 18.0),
        };
        empty_ui(ui, pen, rect, self.icon, words);
        let bottom = (rect.center().y + below + 13.0).min(rect.bottom() - 2.0);
        let label = pen.width(self.button, ui_font(13.0)) + MARGINS;
        let size = vec2(label.max(LEAST_WIDTH).min(rect.width()), 26.0);
        let place = Rect::from_center_size(pos2(rect.center().x, bottom - 13.0), size);
        let button = egui::Button::new(self.button).truncate();
        if ui.put(place, button).on_hover_text(self.words.1).clicked() {
            out.push(self.action);
        }
    }
}
