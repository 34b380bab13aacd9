//! Strips above the panels: notes about unusual properties of the trace, and first steps for the
//! demo.

use std::cmp::Ordering;

use egui::{Align, Align2, Layout, RichText, Sense, Ui, UiBuilder, WidgetInfo, vec2};
use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::desk::Desk;
use stepback_debugger::desk::words::sentence;
use stepback_debugger::keymap::key_name;
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::trace_notes::{lacks_encodings, unusual_notes};
use stepback_debugger::session::{Session, TraceChange};

use crate::theme::{ThemeColors, icon, icons, medium, ui as ui_font};
use crate::widgets::{FlatButton, key_cap_ui, line_below, text_button};

/// Height of the strip, in points.
pub const HEIGHT: f32 = 26.0;

/// Content of the strip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Banner {
    /// Notes, one sentence each.
    pub notes: Vec<String>,
    /// Possible actions, each with a label.
    pub offers: Vec<(String, Action)>,
}

impl Banner {
    /// Returns the notes about a trace, or none if nothing is unusual.
    pub fn of(session: &Session) -> Option<Self> {
        let notes = unusual_notes(session);
        let has_modules = session.companions.modules.is_some();
        let wish = match session.images.is_empty() {
            true if has_modules => Some(Action::File(FileAction::AddSysroot(None))),
            true if lacks_encodings(session) => Some(Action::File(FileAction::AddImage(None))),
            _ => None,
        };
        let missing = (wish.is_some() && has_modules)
            .then(|| say!("banner-none-of-the-programs-files").to_owned());
        let notes: Vec<String> = notes
            .into_iter()
            .chain(missing)
            .map(|note| sentence(&note))
            .collect();
        let label = say!("banner-give-the-programs-files");
        let offers = wish.map(|wish| (label.to_owned(), wish));
        (!notes.is_empty()).then(|| Self {
            notes,
            offers: offers.into_iter().collect(),
        })
    }

    /// Returns the note about a change of the trace file.
    pub fn of_change(change: TraceChange) -> Self {
        let reload = (say!("opened-reload"), Action::File(FileAction::Reload));
        let follow = (say!("opened-follow"), FileAction::FollowTrace.into());
        let (title, offers) = match change {
            TraceChange::Rewritten => (say!("opened-the-trace-changed"), vec![reload]),
            TraceChange::Grown => (say!("opened-the-trace-has-grown"), vec![reload, follow]),
        };
        let offers = (offers.into_iter()).map(|(label, action)| (label.to_owned(), action));
        Self {
            notes: vec![
                title.to_owned(),
                say!("opened-what-is-shown-belongs-to").to_owned(),
            ],
            offers: offers.collect(),
        }
    }

    /// Draws the strip. Returns true if the user closes it.
    pub fn ui(&self, ui: &mut Ui, out: &mut Vec<Action>) -> bool {
        let tok = ThemeColors::current(ui);
        let rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, tok.warn_bg);
        line_below(ui.painter(), rect, tok.line);
        let builder = UiBuilder::new().max_rect(rect.shrink2(vec2(12.0, 0.0)));
        let end = builder.layout(Layout::right_to_left(Align::Center));
        ui.scope_builder(end, |ui| {
            ui.spacing_mut().item_spacing.x = 8.0;
            let close = FlatButton {
                icon_size: 14.0,
                ..FlatButton::of_icon(say!("banner-close-the-note"), icons::CLOSE)
            };
            let is_closed = close
                .ui(ui)
                .on_hover_text(say!("banner-close-the-note"))
                .clicked();
            for (label, action) in self.offers.iter().rev() {
                if text_button(ui, label, ui_font(12.0), tok.accent).clicked() {
                    out.push(action.clone());
                }
            }
            self.words_ui(ui, tok);
            is_closed
        })
        .inner
    }

    /// Draws the notes in one line, cut to the width; the tooltip shows all of them.
    fn words_ui(&self, ui: &mut Ui, tok: &ThemeColors) {
        let whole = self.notes.join(" · ");
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &whole));
        let painter = ui.painter_at(rect);
        painter.text(
            rect.left_center(),
            Align2::LEFT_CENTER,
            icons::WARNING,
            icon(14.0),
            tok.warn,
        );
        let mut job = egui::text::LayoutJob::simple_singleline(whole, ui_font(12.0), tok.t1);
        job.wrap = egui::text::TextWrapping::truncate_at_width((rect.width() - 22.0).max(0.0));
        let galley = painter.layout_job(job);
        let top = rect.center().y - galley.size().y / 2.0;
        painter.galley(egui::pos2(rect.left() + 20.0, top.round()), galley, tok.t1);
        response.on_hover_text(self.notes.join("\n"));
    }
}

/// Height of the strip, in points.
pub const HINT_HEIGHT: f32 = 30.0;

/// Steps that solve the demo: the action and its key.
const GESTURES: [(&str, &str); 3] = [
    ("demo-1-go-to-the-end", "End"),
    ("demo-2-ask-why", "W"),
    ("demo-3-go-to-the-store", ""),
];

/// Minimum width in points to show the question next to the steps.
const WITH_QUESTION: f32 = 1240.0;

/// First steps for the demo, of which some are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DemoGuide {
    done: usize,
}

impl DemoGuide {
    /// Notes that the user did the next step.
    pub fn look_at(&mut self, desk: &Desk) {
        let at = desk.windows.active().position;
        let is_done = match self.done {
            0 => at == desk.session.index.end(),
            1 => desk
                .ending()
                .and_then(|report| report.ending.culprit.as_ref())
                .zip(desk.slice.question())
                .is_some_and(|((cell, at), asked)| {
                    cell.to_string() == asked.cell && asked.at >= at.0
                }),
            2 => desk
                .ending()
                .and_then(|report| report.origin.last())
                .is_some_and(|line| line.step.after() == at),
            _ => false,
        };
        self.done += usize::from(is_done);
    }

    /// Draws the strip. Returns true if the user closes it.
    pub fn ui(self, ui: &mut Ui) -> bool {
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
                .on_hover_text(say!("demo-close-the-hint"))
                .clicked()
        });
        ui.scope_builder(builder.layout(Layout::left_to_right(Align::Center)), |ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            if self.done == GESTURES.len() {
                tick_ui(ui, tok);
                let solution = RichText::new(say!("demo-solved")).font(medium(12.5));
                ui.label(solution.color(tok.t1));
                return;
            }
            if rect.width() >= WITH_QUESTION {
                let question = say!("demo-a-server-dies-by-an");
                ui.label(RichText::new(question).font(medium(12.5)).color(tok.t1));
            }
            for (number, (words, key)) in GESTURES.into_iter().enumerate() {
                ui.add_space(10.0);
                let color = match number.cmp(&self.done) {
                    Ordering::Less => tok.t3,
                    Ordering::Equal => tok.t1,
                    Ordering::Greater => tok.t2,
                };
                if number < self.done {
                    tick_ui(ui, tok);
                }
                let words = RichText::new(spoken(words)).font(ui_font(12.0));
                ui.label(words.color(color));
                if !key.is_empty() {
                    key_cap_ui(ui, &key_name(key));
                }
            }
        });
        is_closed.inner
    }
}

fn tick_ui(ui: &mut Ui, tok: &ThemeColors) {
    let tick = RichText::new(icons::CHECK).font(icon(14.0));
    ui.label(tick.color(tok.accent));
}
