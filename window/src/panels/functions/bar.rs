//! The bar of the function panels: the part of the trace that they cover, and the progress of the
//! computation.

use egui::{Rect, Ui, pos2};
use stepback_debugger::action::{Action, FunctionsOf, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::functions::part_words;

use crate::panels::PanelContext;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyMessage, button_response, empty_ui, error_ui};
use crate::theme::{icon, icons, medium, ui as ui_font};

/// Height of the bar, in points.
pub const BAR: f32 = 30.0;

/// Painter of the bar.
pub struct FunctionsBar<'a> {
    pub pen: &'a Pen<'a>,
    /// Free part of the bar.
    pub rect: Rect,
    pub cx: &'a PanelContext<'a>,
}

impl FunctionsBar<'_> {
    /// Returns a bar that ends at `right`.
    #[must_use]
    pub fn up_to(&self, right: f32) -> Self {
        Self {
            rect: self.rect.with_max_x(right),
            ..*self
        }
    }

    /// Draws the bar, and below it an error or the reason why there are no functions yet.
    pub fn untold_ui(&self, ui: &mut Ui, rest: Rect, out: &mut Vec<Action>) {
        self.part_ui(ui, "", out);
        match self.cx.desk.functions.error() {
            Some(error) => error_ui(ui, self.pen, rest, error, out),
            None => empty_ui(ui, self.pen, rest, EMPTY_ICON, waiting_words(self.cx)),
        }
    }

    /// Draws the part of the trace that is covered, the progress, and words about the functions.
    pub fn part_ui(&self, ui: &Ui, words: &str, out: &mut Vec<Action>) {
        let Self { pen, rect: bar, cx } = *self;
        let (tok, y, part) = (pen.tok, bar.center().y, cx.desk.functions.part());
        let color = if part.is_some() { tok.accent } else { tok.t1 };
        let shown = part_words(part);
        let mut x = pen.cut_text(
            pos2(bar.left() + INSET, y),
            &shown,
            medium(12.0),
            color,
            bar.right(),
        ) + 8.0;
        let label = Rect::from_min_max(bar.min, pos2(x, bar.bottom()));
        let response = ui.interact(label, ui.unique_id().with("part"), egui::Sense::hover());
        response.widget_info(|| {
            egui::WidgetInfo::labeled(
                egui::Role::Label,
                true,
                say!("functions-functions-of", shown = &shown),
            )
        });
        response.on_hover_text(say!("functions-shift-drag-in-the-timeline"));
        let offer = match (part, cx.desk.functions.passed_over()) {
            (Some(_), _) => Some((say!("functions-whole-trace"), FunctionsOf::Whole)),
            (None, Some(_)) => Some((say!("functions-selected-range"), FunctionsOf::Selection)),
            (None, None) => None,
        };
        if let Some((words, of)) = offer {
            x = self.link_ui(ui, x, words, || {
                out.push(Action::View(ViewAction::TellFunctions(of)))
            });
        }
        if let Some(share) = cx.desk.functions.progress() {
            let words = say!("functions-working", share = format!("{:.0}", share * 100.0));
            x = pen.cut_text(pos2(x + 4.0, y), &words, ui_font(12.0), tok.t2, bar.right()) + 4.0;
            self.link_ui(ui, x, say!("functions-stop"), || {
                out.push(Action::View(ViewAction::StopFunctions))
            });
            let line = Rect::from_min_max(pos2(bar.left(), bar.bottom() - 2.0), bar.max);
            pen.fill(
                line.with_max_x(line.left() + share * line.width()),
                tok.accent,
            );
            ui.ctx()
                .request_repaint_after(std::time::Duration::from_millis(100));
        } else if cx.desk.functions.is_given_up() {
            let of = if part.is_some() {
                FunctionsOf::Selection
            } else {
                FunctionsOf::Whole
            };
            self.link_ui(ui, x, say!("functions-go-on"), || {
                out.push(Action::View(ViewAction::TellFunctions(of)))
            });
        } else {
            pen.cut_text(pos2(x + 4.0, y), words, ui_font(12.0), tok.t2, bar.right());
        }
    }

    /// Draws a text button that calls `act` when clicked. Returns its right edge. Draws nothing if
    /// it does not fit.
    pub fn link_ui(&self, ui: &Ui, left: f32, words: &str, act: impl FnOnce()) -> f32 {
        let (pen, y) = (self.pen, self.rect.center().y);
        let width = pen.width(words, ui_font(12.0)) + 12.0;
        if left + width > self.rect.right() {
            return left;
        }
        let rect = Rect::from_min_max(pos2(left, y - 10.0), pos2(left + width, y + 10.0));
        let response = button_response(ui, rect, words, words);
        if response.hovered() || response.has_focus() {
            pen.painter.rect_filled(rect, 4.0, pen.tok.bg3);
        }
        pen.text(rect.left() + 6.0, y, words, ui_font(12.0), pen.tok.accent);
        if response.clicked() {
            act();
        }
        rect.right()
    }
}

/// Draws a small icon button. Returns true if it was clicked.
pub fn icon_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, shape: char, name: &str) -> bool {
    let response = button_response(ui, rect, name, name);
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(rect, 4.0, pen.tok.bg3);
    }
    pen.text_centered(rect.center(), shape, icon(14.0), pen.tok.t2);
    response.on_hover_text(name).clicked()
}

/// Returns the message that is shown before the first answer.
fn waiting_words(cx: &PanelContext<'_>) -> EmptyMessage<'static> {
    match cx.desk.functions.is_given_up() {
        true => EmptyMessage(
            say!("functions-the-functions-were-not-worked"),
            say!("functions-go-on-above-begins-again"),
        ),
        false => EmptyMessage(
            say!("functions-looking-at-all-calls"),
            say!("functions-escape-or-stop-gives-it"),
        ),
    }
}

/// Icon of the panels while they are empty.
pub const EMPTY_ICON: char = icons::CALLS;
