//! The card above the panels that says how the trace ends badly: what happened, where, and where
//! the value that caused it came from, each with a way to go there.

use egui::{Align, Layout, RichText, Ui, UiBuilder, vec2};
use stepback_debugger::action::{Action, Direction, SliceAction, TravelAction, ViewAction};
use stepback_debugger::desk::Desk;
use stepback_debugger::keymap::key_name;
use stepback_debugger::messages::say;
use stepback_debugger::model::ending::{EndingReport, OriginLine};
use stepback_debugger::model::text::thousands;
use stepback_parsers::Step;

use crate::theme::{ThemeColors, icon_fill, icons, mono, semi, ui as ui_font};
use crate::widgets::{FlatButton, key_cap_ui, line_below, link, text_button};

/// Height of a line, and of the title with the buttons.
const LINE: f32 = 18.0;
const TITLE: f32 = 26.0;
/// Gap between lines.
const GAP: f32 = 3.0;
/// Space between the title and the buttons.
const BEFORE_BUTTONS: f32 = 12.0;
/// Space above and below the lines.
const MARGIN: f32 = 5.0;
/// Height of a window below which only the title is shown.
const LOW: f32 = 620.0;

/// The card about the end of a trace.
pub struct EndingCard<'a> {
    pub report: &'a EndingReport,
    pub desk: &'a Desk,
}

impl EndingCard<'_> {
    /// Returns the height of the card in a window of some height.
    pub fn height(&self, window: f32) -> f32 {
        let lines = if window < LOW {
            0
        } else {
            1 + self.report.origin.len()
        };
        2.0 * MARGIN + TITLE + (LINE + GAP) * lines as f32
    }

    /// Draws the card. Returns true if the user closes it.
    pub fn ui(&self, ui: &mut Ui, out: &mut Vec<Action>) -> bool {
        let tok = ThemeColors::current(ui);
        let rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, tok.bg2);
        line_below(ui.painter(), rect, tok.line);
        let inner = rect.shrink2(vec2(12.0, MARGIN));
        let (title, lines) = inner.split_top_bottom_at_y(inner.top() + TITLE);
        let builder = UiBuilder::new()
            .max_rect(title)
            .layout(Layout::right_to_left(Align::Center));
        let is_closed = ui
            .scope_builder(builder, |ui| {
                ui.spacing_mut().item_spacing.x = 8.0;
                let is_closed = self.buttons_ui(ui, out);
                let rest = ui.available_rect_before_wrap();
                let rest = UiBuilder::new()
                    .max_rect(rest.with_max_x(rest.right() - BEFORE_BUTTONS))
                    .layout(Layout::left_to_right(Align::Center));
                ui.scope_builder(rest, |ui| self.title_ui(ui, tok));
                is_closed
            })
            .inner;
        if lines.height() >= LINE {
            let builder = UiBuilder::new().max_rect(lines);
            ui.scope_builder(builder, |ui| self.lines_ui(ui, tok, out));
        }
        is_closed
    }

    fn title_ui(&self, ui: &mut Ui, tok: &ThemeColors) {
        let sign = RichText::new(icons::WARNING).font(icon_fill(16.0));
        ui.label(sign.color(tok.err));
        let title = RichText::new(&self.report.title).font(semi(13.5));
        ui.add(egui::Label::new(title.color(tok.t1)).truncate());
    }

    fn buttons_ui(&self, ui: &mut Ui, out: &mut Vec<Action>) -> bool {
        let close = FlatButton {
            icon_size: 14.0,
            ..FlatButton::of_icon(say!("ending-close"), icons::CLOSE)
        };
        let is_closed = close.ui(ui).on_hover_text(say!("ending-close")).clicked();
        if let Some(memory) = &self.report.memory {
            let tip = say!("ending-writes-of", cell = memory.to_string());
            if link(ui, say!("ending-writes")).on_hover_text(tip).clicked() {
                out.push(Action::View(ViewAction::ListValues(memory.clone())));
            }
        }
        let mut button = |ui: &mut Ui, text: &'static str, key: Option<&str>, action: Action| {
            if let Some(key) = key {
                key_cap_ui(ui, &key_name(key));
            }
            if link(ui, text).clicked() {
                out.push(action);
            }
        };
        let step = self.report.ending.step;
        match step.after() == self.desk.session.index.end() {
            true => {
                let end = Action::Travel(TravelAction::Edge(Direction::Forward));
                button(ui, say!("ending-end"), Some("End"), end);
            }
            false => button(ui, say!("ending-go"), None, go_to(step)),
        }
        if let Some((cell, at)) = &self.report.ending.culprit {
            let why = Action::Slice(SliceAction::WhyAt(cell.clone(), *at));
            button(ui, say!("ending-why"), Some("W"), why);
        }
        is_closed
    }

    fn lines_ui(&self, ui: &mut Ui, tok: &ThemeColors, out: &mut Vec<Action>) {
        ui.spacing_mut().item_spacing = vec2(8.0, GAP);
        let indent = 24.0;
        ui.horizontal(|ui| {
            ui.set_height(LINE);
            ui.add_space(indent);
            let place = RichText::new(&self.report.place).font(ui_font(12.5));
            ui.add(egui::Label::new(place.color(tok.t2)).truncate());
        });
        for line in &self.report.origin {
            ui.horizontal(|ui| {
                ui.set_height(LINE);
                ui.add_space(indent);
                origin_ui(ui, line, tok, out);
            });
        }
    }
}

/// Draws a step that the value came from, with a link to it.
fn origin_ui(ui: &mut Ui, line: &OriginLine, tok: &ThemeColors, out: &mut Vec<Action>) {
    let step = text_button(ui, &thousands(line.step.0), mono(12.5), tok.accent);
    if step.on_hover_text(say!("ending-go-to-step")).clicked() {
        out.push(go_to(line.step));
    }
    let words = RichText::new(line.words()).font(mono(12.5)).color(tok.t1);
    ui.add(egui::Label::new(words).truncate());
}

/// Goes to the position after a step, where its results are visible.
fn go_to(step: Step) -> Action {
    Action::Travel(TravelAction::GoTo(step.after().0.to_string()))
}
