//! Page shown while the trace named on the command line is being opened.

use egui::{Align2, Role, Sense, Ui, WidgetInfo, vec2};

use crate::theme::{ThemeColors, semi, ui as ui_font};
use stepback_debugger::desk::Opening;
use stepback_debugger::messages::say;

/// Draws the trace's name in the middle, and the progress.
pub fn opening_page_ui(ui: &Ui, opening: &Opening) {
    let tok = ThemeColors::current(ui);
    let rect = ui.max_rect();
    let title = say!("opening-title", name = opening.name.as_str());
    let response = ui.interact(rect, ui.unique_id().with("opening"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &title));
    let at = |y: f32| rect.center() + vec2(0.0, y);
    ui.painter()
        .text(at(-14.0), Align2::CENTER_CENTER, title, semi(16.0), tok.t1);
    let figures = opening.figures();
    let words = match figures.steps {
        0 => say!("opening-first-part").to_owned(),
        steps => say!("opening-so-far", count = steps, share = figures.per_cent()),
    };
    ui.painter().text(
        at(12.0),
        Align2::CENTER_CENTER,
        words,
        ui_font(12.5),
        tok.t3,
    );
}
