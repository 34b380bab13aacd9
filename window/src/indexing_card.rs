//! Progress of indexing: a card that blocks no input, or a page while the trace named on the
//! command line is being opened.

use egui::{
    Align2, Button, Id, Order, Rect, RichText, Role, Sense, Stroke, StrokeKind, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};
use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::desk::Opening;
use stepback_debugger::desk::words::{bytes, span};
use stepback_debugger::messages::say;

use crate::theme::{ThemeColors, medium, mono, mono_bold, semi, ui as ui_font};

const SIZE: egui::Vec2 = vec2(460.0, 156.0);

/// Draws the card at the bottom right. Returns the height that it takes.
pub fn indexing_card_ui(ui: &Ui, within: Rect, opening: &Opening, out: &mut Vec<Action>) -> f32 {
    if !opening.is_long() {
        return 0.0;
    }
    let corner = within.right_bottom() - vec2(12.0, 12.0);
    egui::Area::new(Id::unique("indexing card"))
        .order(Order::Foreground)
        .fixed_pos(corner)
        .pivot(Align2::RIGHT_BOTTOM)
        .show(ui.ctx(), |ui| card_ui(ui, opening, out));
    SIZE.y + 8.0
}

fn card_ui(ui: &mut Ui, opening: &Opening, out: &mut Vec<Action>) {
    let tok = ThemeColors::current(ui);
    let figures = opening.figures();
    let (rect, response) = ui.allocate_exact_size(SIZE, Sense::hover());
    let title = say!("card-indexing", name = &opening.name);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Dialog, true, &title));
    let painter = ui.painter();
    painter.add(ui.visuals().window_shadow.as_shape(rect, 8.0));
    painter.rect(
        rect,
        8.0,
        tok.bg2,
        Stroke::new(1.0, tok.line2),
        StrokeKind::Inside,
    );
    let (left, right, top) = (rect.left() + 16.0, rect.right() - 16.0, rect.top());
    let at = |x: f32, y: f32| pos2(x, top + y);
    painter.text(
        at(left, 23.0),
        Align2::LEFT_CENTER,
        title,
        semi(14.0),
        tok.t1,
    );
    let per_cent = format!("{} %", figures.per_cent());
    painter.text(
        at(right, 23.0),
        Align2::RIGHT_CENTER,
        per_cent,
        mono_bold(12.5),
        tok.t1,
    );
    let bar = Rect::from_min_max(at(left, 42.0), at(right, 48.0));
    painter.rect_filled(bar, 3.0, tok.bg4);
    let done = Rect::from_min_size(bar.min, vec2(bar.width() * figures.share, 6.0));
    painter.rect_filled(done, 3.0, tok.accent);
    let amount = say!(
        "card-of",
        done = bytes(figures.done),
        total = bytes(figures.total)
    );
    painter.text(
        at(left, 68.0),
        Align2::LEFT_CENTER,
        amount,
        mono(12.5),
        tok.t2,
    );
    let rate = format!("{}/s", bytes(figures.rate));
    painter.text(
        at(right, 68.0),
        Align2::RIGHT_CENTER,
        rate,
        mono(12.5),
        tok.t2,
    );
    let steps = say!("card-steps", count = figures.steps);
    painter.text(
        at(left, 87.0),
        Align2::LEFT_CENTER,
        steps,
        mono(12.5),
        tok.t2,
    );
    let time_left = figures
        .left
        .map_or_else(String::new, |time| say!("card-left", time = span(time)));
    painter.text(
        at(right, 87.0),
        Align2::RIGHT_CENTER,
        time_left,
        mono(12.5),
        tok.t2,
    );
    let hint = match opening.is_shown {
        true => say!("card-the-trace-can-be-read"),
        false => say!("card-the-trace-opens-when-its"),
    };
    painter.text(
        at(left, 131.0),
        Align2::LEFT_CENTER,
        hint,
        ui_font(12.0),
        tok.t3,
    );
    buttons_ui(
        ui,
        Rect::from_min_max(at(left, 118.0), at(right, 144.0)),
        opening,
        out,
    );
}

fn buttons_ui(ui: &mut Ui, row: Rect, opening: &Opening, out: &mut Vec<Action>) {
    let builder = UiBuilder::new()
        .max_rect(row)
        .layout(egui::Layout::right_to_left(egui::Align::Center));
    ui.scope_builder(builder, |ui| {
        let button = |text: &str| {
            Button::new(RichText::new(text).font(medium(13.0))).min_size(vec2(72.0, 26.0))
        };
        if ui
            .add_enabled(!opening.is_cancelled(), button(say!("card-cancel")))
            .clicked()
        {
            out.push(Action::File(FileAction::CancelIndexing));
        }
        if ui.add(button(say!("card-hide"))).clicked() {
            out.push(Action::File(FileAction::ToggleIndexingCard));
        }
    });
}

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
