//! The raw text of a trace: the bar that says so, and its words in colours.

use egui::{Pos2, Rect, Ui, pos2};

use super::menu::Scene;
use crate::action::Action;
use crate::messages::say;
use crate::panels::pen::{ADVANCE, INSET, Pen};
use crate::panels::row::button_response;
use crate::theme::{icon, icons, ui as ui_font};

/// Height of the bar.
const BAR: f32 = 24.0;

/// Says that the trace's own text is shown, why calls do not fold there, and leads back. Returns the rest.
pub fn raw_bar_ui(ui: &Ui, rect: Rect, Scene { cx, .. }: Scene<'_>, out: &mut Vec<Action>) -> Rect {
    let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
    let pen = Pen::new(ui, bar, cx.tok);
    let y = bar.center().y;
    pen.fill(bar, cx.tok.bg3);
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
    let back = say!("calls-steps");
    let width = pen.width(back, ui_font(12.0)) + 12.0;
    let button = Rect::from_min_max(pos2(bar.right() - 4.0 - width, y - 10.0), pos2(bar.right() - 4.0, y + 10.0));
    let response = button_response(ui, button, "steps", say!("raw-show-steps"));
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(button, 4.0, cx.tok.hover);
    }
    pen.text(button.left() + 6.0, y, back, ui_font(12.0), cx.tok.accent);
    if response.on_hover_text(say!("raw-show-steps-again")).clicked() {
        out.push(Action::ToggleRawText);
    }
    let words = say!("raw-of-lines", count = cx.session.index.info().lines);
    pen.text(bar.left() + INSET, y, icons::FILE, icon(13.0), cx.tok.t2);
    pen.cut_text(pos2(bar.left() + INSET + 20.0, y), &words, ui_font(12.0), cx.tok.t2, button.left() - 6.0);
    let label = bar.with_max_x(button.left() - 6.0);
    let response = ui.interact(label, ui.unique_id().with("raw text"), egui::Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    response.on_hover_text(words);
    rest
}

/// What a run of letters of a line is: every format has numbers, names and signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunKind {
    /// Digits, also hexadecimal ones; the second and later of a name's letters may be digits, too.
    Number,
    /// A name.
    Name,
    /// What stands between.
    Sign,
}

/// The next run of a text, which is not empty.
fn run(text: &str) -> (RunKind, usize) {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let length = text.len() - text.trim_start_matches(is_of_word).len();
    if length == 0 {
        return (RunKind::Sign, text.len() - text.trim_start_matches(|letter| !is_of_word(letter)).len());
    }
    let word = text.get(..length).unwrap_or_default();
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_number = is_hex && (digits.bytes().any(|digit| digit.is_ascii_digit()) || digits.len() >= 8);
    (if is_number { RunKind::Number } else { RunKind::Name }, length)
}

/// How strongly a line is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineTone {
    /// The first line of a step.
    Step,
    /// Another line of it, or one outside of all steps.
    Effect,
}

/// Paints a line with its numbers apart from its names. What is beyond `right` is left out.
pub fn words_ui(pen: &Pen<'_>, at: Pos2, text: &str, tone: LineTone, right: f32) {
    let tok = pen.tok;
    let room = ((right - at.x) / ADVANCE).max(0.0) as usize + 1;
    let end = text.char_indices().nth(room).map_or(text.len(), |(end, _)| end);
    let mut rest = text.get(..end).unwrap_or(text);
    let mut words = Vec::new();
    while !rest.is_empty() {
        let (kind, length) = run(rest);
        let (word, behind) = rest.split_at(length);
        let color = match (kind, tone) {
            (RunKind::Number, _) => tok.number,
            (RunKind::Name, LineTone::Step) => tok.t1,
            (RunKind::Name, LineTone::Effect) => tok.t2,
            (RunKind::Sign, _) => tok.t3,
        };
        words.push((word, color));
        rest = behind;
    }
    pen.words(at, words.into_iter());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_out_of_names_and_signs() {
        let kinds = |text: &'static str| {
            let (mut found, mut text) = (Vec::new(), text);
            while !text.is_empty() {
                let (kind, length) = run(text);
                found.push((kind, &text[..length]));
                text = &text[length..];
            }
            found
        };
        use RunKind::{Name, Number, Sign};
        assert_eq!(
            kinds("12 clk R X0 000a"),
            [
                (Number, "12"),
                (Sign, " "),
                (Name, "clk"),
                (Sign, " "),
                (Name, "R"),
                (Sign, " "),
                (Name, "X0"),
                (Sign, " "),
                (Number, "000a")
            ]
        );
        assert_eq!(kinds("ADD é,#0x1f"), [(Name, "ADD"), (Sign, " "), (Name, "é"), (Sign, ",#"), (Number, "0x1f")]);
    }
}
