//! The raw text of a trace: its bar, and its syntax colours.

use egui::{Pos2, Rect, Ui, pos2};

use super::menu::TraceContext;
use crate::panels::pen::{ADVANCE, INSET, Pen};
use crate::panels::row::button_response;
use crate::theme::{icon, icons, ui as ui_font};
use stepback_debugger::action::{Action, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::raw_words::{RawTokenKind, runs};

/// Height of the bar.
const BAR: f32 = 24.0;

/// Draws the bar of the raw text: the number of lines, and a button back to the steps. Returns the
/// area below.
pub fn raw_bar_ui(
    ui: &Ui,
    rect: Rect,
    TraceContext { cx, .. }: TraceContext<'_>,
    out: &mut Vec<Action>,
) -> Rect {
    let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
    let pen = Pen::new(ui, bar, cx.tok);
    let y = bar.center().y;
    pen.fill(bar, cx.tok.bg3);
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
    let back = say!("calls-steps");
    let width = pen.width(back, ui_font(12.0)) + 12.0;
    let button = Rect::from_min_max(
        pos2(bar.right() - 4.0 - width, y - 10.0),
        pos2(bar.right() - 4.0, y + 10.0),
    );
    let response = button_response(ui, button, "steps", say!("raw-show-steps"));
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(button, 4.0, cx.tok.hover);
    }
    pen.text(button.left() + 6.0, y, back, ui_font(12.0), cx.tok.accent);
    if response
        .on_hover_text(say!("raw-show-steps-again"))
        .clicked()
    {
        out.push(Action::View(ViewAction::ToggleRawText));
    }
    let words = say!("raw-of-lines", count = cx.desk.session.index.info().lines);
    pen.text(bar.left() + INSET, y, icons::FILE, icon(13.0), cx.tok.t2);
    pen.cut_text(
        pos2(bar.left() + INSET + 20.0, y),
        &words,
        ui_font(12.0),
        cx.tok.t2,
        button.left() - 6.0,
    );
    let label = bar.with_max_x(button.left() - 6.0);
    let response = ui.interact(label, ui.unique_id().with("raw text"), egui::Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    response.on_hover_text(words);
    rest
}

/// Emphasis of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineTone {
    /// First line of a step.
    Step,
    /// Further line of a step, or a line outside of all steps.
    Effect,
}

/// Paints a line with numbers, names and signs in different colours. Text beyond `right` is left
/// out.
pub fn words_ui(pen: &Pen<'_>, at: Pos2, text: &str, tone: LineTone, right: f32) {
    let tok = pen.tok;
    let room = ((right - at.x) / ADVANCE).max(0.0) as usize + 1;
    let end = text
        .char_indices()
        .nth(room)
        .map_or(text.len(), |(end, _)| end);
    let words = runs(text.get(..end).unwrap_or(text)).map(|(kind, word)| {
        let color = match (kind, tone) {
            (RawTokenKind::Number, _) => tok.number,
            (RawTokenKind::Name, LineTone::Step) => tok.t1,
            (RawTokenKind::Name, LineTone::Effect) => tok.t2,
            (RawTokenKind::Sign, _) => tok.t3,
        };
        (word, color)
    });
    pen.words(at, words);
}
