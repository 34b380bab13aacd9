//! Strip above the panels with first steps for the demo.

use egui::{Align, Layout, RichText, Ui, UiBuilder, vec2};

use super::widgets::{FlatButton, key_cap_ui, line_below};
use crate::theme::{ThemeColors, icons, medium, ui as ui_font};
use stepback_debugger::keymap::key_name;
use stepback_debugger::messages::{say, spoken};

/// Height of the strip, in points.
pub const HEIGHT: f32 = 30.0;

/// Steps that solve the demo: the action and its key.
const GESTURES: [(&str, &str); 4] = [
    ("demo-1-go-to-the-end", "End"),
    ("demo-2-in-registers-click-x2", "Enter"),
    ("demo-3-in-memory-type-x0", "Enter"),
    ("demo-then", "8"),
];

/// Minimum width in points to show the question next to the steps.
const WITH_QUESTION: f32 = 1000.0;

/// Draws the strip. Returns true if the user closes it.
pub fn demo_hint_ui(ui: &mut Ui) -> bool {
    let tok = ThemeColors::current(ui);
    let rect = ui.max_rect();
    line_below(ui.painter(), rect, tok.line);
    let builder = UiBuilder::new().max_rect(rect.shrink2(vec2(12.0, 0.0)));
    let end = builder.clone().layout(Layout::right_to_left(Align::Center));
    let is_closed = ui.scope_builder(end, |ui| {
        let close = FlatButton {
            icon_size: 14.0,
            ..FlatButton::of_icon(say!("demo-close-the-hint"), icons::CLOSE)
        };
        close
            .ui(ui)
            .on_hover_text(say!("demo-close-the-hint-esc"))
            .clicked()
    });
    ui.scope_builder(builder.layout(Layout::left_to_right(Align::Center)), |ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        if rect.width() >= WITH_QUESTION {
            let question = say!("demo-a-server-dies-by-an");
            ui.label(RichText::new(question).font(medium(12.5)).color(tok.t1));
        }
        for (words, key) in GESTURES {
            let words = spoken(words);
            if words.starts_with(|first: char| first.is_ascii_digit()) {
                ui.add_space(10.0);
            }
            ui.label(RichText::new(words).font(ui_font(12.0)).color(tok.t2));
            key_cap_ui(ui, &key_name(key));
        }
    });
    is_closed.inner
}
