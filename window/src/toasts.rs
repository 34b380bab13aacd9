//! Messages: the event, its place or cause, and possible actions. What went wrong is a card in a
//! corner, and any other message a line in the status bar.

use std::sync::Arc;
use std::time::Duration;

use egui::{
    Align2, Galley, Id, Rect, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use stepback_debugger::action::{Action, AppAction};
use stepback_debugger::desk::Tone;
use stepback_debugger::desk::words::sentence;
use stepback_debugger::messages::say;
use stepback_parsers::Position;

use super::widgets::link;
use crate::theme::{ThemeColors, icon, icon_fill, icons, semi, ui as ui_font};

const SIZE: egui::Vec2 = vec2(424.0, 84.0);
const GAP: f32 = 10.0;
/// Maximum number of cards shown; further ones are folded into a line with their number.
const SHOWN: usize = 1;
/// Minimum display time of a message, and reading time per character.
const SHORTEST: Duration = Duration::from_secs(5);
const PER_LETTER: Duration = Duration::from_millis(60);

#[derive(Clone, Debug)]
pub struct Toast {
    pub id: u64,
    /// Severity.
    pub kind: Tone,
    /// The event, as a sentence without a full stop.
    pub title: String,
    /// The place or cause, and advice.
    pub text: String,
    /// Possible actions, each with a label.
    pub actions: Vec<(String, Action)>,
    /// Time of the first frame with the message, by the toolkit's clock; none before that frame.
    since: Option<Duration>,
    /// Position of the active window, for a message that is only true there.
    at: Option<Position>,
}

/// All shown messages, the oldest first.
#[derive(Debug, Default)]
pub struct Toasts {
    list: Vec<Toast>,
    count: u64,
    /// The pointer is on a message, which pauses all display times.
    is_held: bool,
    /// All messages are shown, not only the newest.
    is_unfolded: bool,
    looked: Option<Duration>,
}

impl Toasts {
    /// Returns the shown messages, the oldest first.
    pub fn list(&self) -> &[Toast] {
        &self.list
    }

    /// Shows a message given as one sentence. The part before its first colon is the title.
    pub fn show(&mut self, kind: Tone, message: &str) {
        self.show_and_offer(kind, message, None);
    }

    /// Shows a message with an optional action.
    pub fn show_and_offer(&mut self, kind: Tone, message: &str, offer: Option<(String, Action)>) {
        // The whole message shows if it begins with the name of a file.
        let message = sentence(message);
        let (title, text) = message.split_once(": ").unwrap_or((&message, ""));
        // A single word is a name.
        let text = match text.contains(' ') {
            true => sentence(text),
            false => text.to_owned(),
        };
        self.show_with(kind, title.trim_end(), &text, offer);
    }

    /// Shows a message with actions. An equal message that is already shown is replaced.
    pub fn show_with(
        &mut self,
        kind: Tone,
        title: &str,
        text: &str,
        actions: impl IntoIterator<Item = (String, Action)>,
    ) {
        // The status bar has room for one line. What was not seen yet follows later.
        self.list.retain(|toast| {
            let is_replaced =
                kind == Tone::Info && toast.kind == Tone::Info && toast.since.is_some();
            !is_replaced && (toast.title != title || toast.text != text)
        });
        self.count += 1;
        let (title, text, actions) = (
            title.to_owned(),
            text.to_owned(),
            actions.into_iter().collect(),
        );
        self.list.push(Toast {
            id: self.count,
            kind,
            title,
            text,
            actions,
            since: None,
            at: None,
        });
    }

    /// Makes the newest message leave with the next move.
    pub fn bind_newest(&mut self, at: Position) {
        if let Some(newest) = self.list.last_mut() {
            newest.at = Some(at);
        }
    }

    /// Closes the messages about another position than that of the active window.
    pub fn move_to(&mut self, position: Position) {
        self.list
            .retain(|toast| toast.at.is_none_or(|at| at == position));
    }

    /// Closes the messages with a title, because they are no longer true.
    pub fn retire(&mut self, title: &str) {
        self.list.retain(|toast| toast.title != title);
    }

    /// Closes the messages that offer an action, because it is performed.
    pub fn retire_offering(&mut self, action: &Action) {
        let is_offered = |toast: &Toast| toast.actions.iter().any(|(_, offered)| offered == action);
        self.list.retain(|toast| !is_offered(toast));
    }

    pub fn dismiss(&mut self, id: u64) {
        self.list.retain(|toast| toast.id != id);
    }

    /// Closes the newest message. Returns false if there is none.
    pub fn dismiss_newest(&mut self) -> bool {
        self.list.pop().is_some()
    }

    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Closes expired messages, and requests a repaint for the next expiry.
    pub fn expire(&mut self, context: &egui::Context) {
        let now =
            Duration::try_from_secs_f64(context.input(|input| input.time)).unwrap_or_default();
        if let Some(next) = self.expire_at(now) {
            context.request_repaint_after(next);
        }
    }

    /// Closes the messages expired at a moment. Returns the time until the next expiry.
    fn expire_at(&mut self, now: Duration) -> Option<Duration> {
        let passed = self
            .looked
            .replace(now)
            .map_or(Duration::ZERO, |looked| now.saturating_sub(looked));
        let held = if self.is_held { passed } else { Duration::ZERO };
        let line = self.line().map(|toast| toast.id);
        let is_seen = |toast: &Toast| toast.kind != Tone::Info || Some(toast.id) == line;
        for toast in self.list.iter_mut().filter(|toast| is_seen(toast)) {
            toast.since = Some(toast.since.map_or(now, |since| since.saturating_add(held)));
        }
        let end = |toast: &Toast| toast.since.unwrap_or(now).saturating_add(toast.stay());
        self.list.retain(|toast| now < end(toast));
        self.list
            .iter()
            .filter(|toast| toast.since.is_some())
            .map(end)
            .min()
            .map(|next| next.saturating_sub(now))
    }

    /// Returns the message for the status bar.
    pub fn line(&self) -> Option<&Toast> {
        self.list.iter().rfind(|toast| toast.kind == Tone::Info)
    }

    /// Draws the newest cards upwards from a lower corner of a rectangle, and the number of further
    /// ones. The left corner is used if cards in the right one would cover the panel in use.
    pub fn ui(&mut self, ui: &Ui, within: Rect, in_use: Option<Rect>, out: &mut Vec<Action>) {
        let cards = || {
            let newest = self.list.iter().rev();
            newest.filter(|toast| toast.kind != Tone::Info)
        };
        let count = cards().count();
        self.is_unfolded &= count > SHOWN;
        let shown = if self.is_unfolded { count } else { SHOWN };
        let right = Rect::from_min_max(within.max - SIZE - vec2(12.0, 16.0), within.max);
        let left = right.translate(vec2(within.left() - right.left(), 0.0));
        let covers = |corner: Rect| in_use.is_some_and(|panel| panel.intersects(corner));
        let (side, x) = if covers(right) && !covers(left) {
            (Align2::LEFT_BOTTOM, within.left() + 12.0)
        } else {
            (Align2::RIGHT_BOTTOM, within.right() - 12.0)
        };
        let (mut bottom, mut drawn) = (within.bottom() - 16.0, 0);
        let mut is_held = false;
        for toast in cards().take(shown) {
            let corner = pos2(x, bottom);
            let area =
                egui::Area::new(Id::unique(("toast", toast.id))).order(egui::Order::Foreground);
            let area = area.fixed_pos(corner).pivot(side).constrain(true);
            let rect = area.show(ui.ctx(), |ui| toast.ui(ui, out)).response.rect;
            is_held |= ui
                .ctx()
                .pointer_hover_pos()
                .is_some_and(|pointer| rect.contains(pointer));
            bottom -= rect.height() + GAP;
            drawn += 1;
            if bottom < within.top() + SIZE.y {
                break;
            }
        }
        self.is_held = is_held;
        let more = count.saturating_sub(drawn);
        if more > 0 || self.is_unfolded {
            let area = egui::Area::new(Id::unique("more toasts"))
                .order(egui::Order::Foreground)
                .fixed_pos(pos2(x, bottom))
                .pivot(side)
                .constrain(true);
            area.show(ui.ctx(), |ui| self.more_ui(ui, more, out));
        }
    }

    fn more_ui(&mut self, ui: &mut Ui, more: usize, out: &mut Vec<Action>) {
        egui::Frame::popup(ui.style()).show(ui, |ui| {
            ui.horizontal(|ui| {
                if !self.is_unfolded
                    && link(ui, &say!("toasts-more", number = more as u64)).clicked()
                {
                    self.is_unfolded = true;
                }
                if link(ui, say!("toasts-close-all")).clicked() {
                    out.push(Action::App(AppAction::DismissToasts));
                }
            });
        });
    }
}

impl Toast {
    /// Returns the message as one line.
    pub fn words(&self) -> String {
        match self.text.as_str() {
            "" => self.title.clone(),
            text if self.has_two_sentences() => format!("{}. {text}", self.title),
            text => format!("{}: {text}", self.title),
        }
    }

    /// Returns true unless the title is a name or the text only one word.
    fn has_two_sentences(&self) -> bool {
        let is_capital = self.text.chars().next().is_some_and(char::is_uppercase);
        self.title.contains(' ') && self.text.contains(' ') && is_capital
    }

    /// Returns the display time: the reading time, multiplied for severity and for available
    /// actions.
    fn stay(&self) -> Duration {
        let letters = u32::try_from(self.title.len() + self.text.len())
            .unwrap_or(u32::MAX)
            .min(1000);
        let weight = match (self.kind, self.actions.is_empty()) {
            (Tone::Info, true) => 1,
            (Tone::Info, false) | (Tone::Warning, true) => 2,
            (Tone::Error, true) => 3,
            (Tone::Warning | Tone::Error, false) => 4,
        };
        weight * (SHORTEST + letters * PER_LETTER)
    }

    fn ui(&self, ui: &mut Ui, out: &mut Vec<Action>) {
        let tok = ThemeColors::current(ui);
        let wrap = SIZE.x - 54.0 - 40.0;
        let lay = |ui: &Ui, text: &str, font, color| {
            ui.fonts_mut(|fonts| fonts.layout(text.to_owned(), font, color, wrap))
        };
        let title = lay(ui, &self.title, semi(13.0), tok.t1);
        let text = lay(ui, &self.text, ui_font(12.0), tok.t2);
        let tall = SIZE.y.max(title.size().y + text.size().y + 52.0);
        let (rect, response) = ui.allocate_exact_size(vec2(SIZE.x, tall), Sense::hover());
        let said = format!("{}. {}", self.title, self.text);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Alert, true, &said));
        self.paint(ui, rect, title, text, tok);
        self.links_ui(ui, rect, out);
        self.close_ui(ui, rect, tok, out);
    }

    fn paint(&self, ui: &Ui, rect: Rect, title: Arc<Galley>, text: Arc<Galley>, tok: &ThemeColors) {
        let (color, tint, shape) = match self.kind {
            Tone::Info => (tok.accent, tok.sel, icons::INFO),
            Tone::Warning => (tok.warn, tok.warn_bg, icons::WARNING),
            Tone::Error => (tok.err, tok.err_bg, icons::ERROR),
        };
        let painter = ui.painter();
        painter.add(ui.visuals().popup_shadow.as_shape(rect, 8.0));
        painter.rect_filled(rect, 8.0, tok.bg2);
        let strip = Rect::from_min_size(rect.min, vec2(40.0, rect.height()));
        let corners = egui::CornerRadius {
            nw: 8,
            sw: 8,
            ne: 0,
            se: 0,
        };
        painter.rect_filled(strip, corners, tint);
        painter.rect_stroke(rect, 8.0, Stroke::new(1.0, tok.line2), StrokeKind::Inside);
        painter.text(
            strip.center_top() + vec2(0.0, 21.0),
            Align2::CENTER_CENTER,
            shape,
            icon_fill(17.0),
            color,
        );
        let left = rect.left() + 54.0;
        let below = rect.top() + 12.0 + title.size().y + 4.0;
        painter.galley(pos2(left, rect.top() + 12.0), title, tok.t1);
        painter.galley(pos2(left, below), text, tok.t2);
    }

    fn links_ui(&self, ui: &mut Ui, rect: Rect, out: &mut Vec<Action>) {
        let row = Rect::from_min_max(
            pos2(rect.left() + 54.0, rect.bottom() - 30.0),
            rect.max - vec2(40.0, 6.0),
        );
        ui.scope_builder(
            UiBuilder::new()
                .max_rect(row)
                .layout(egui::Layout::left_to_right(egui::Align::Center)),
            |ui| {
                ui.spacing_mut().item_spacing.x = 18.0;
                for (word, action) in &self.actions {
                    if link(ui, word).clicked() {
                        out.push(action.clone());
                        out.push(Action::App(AppAction::DismissToast(self.id)));
                    }
                }
                if link(ui, say!("toasts-copy")).clicked() {
                    out.push(Action::App(AppAction::Copy(format!(
                        "{}\n{}",
                        self.title, self.text
                    ))));
                }
            },
        );
    }

    fn close_ui(&self, ui: &Ui, rect: Rect, tok: &ThemeColors, out: &mut Vec<Action>) {
        let button = Rect::from_center_size(
            pos2(rect.right() - 19.0, rect.top() + 19.0),
            vec2(22.0, 22.0),
        );
        let response = ui.interact(button, Id::unique(("close toast", self.id)), Sense::click());
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::Button, true, say!("toasts-close-message"))
        });
        super::widgets::paint_flat(ui.painter(), button, &response, tok);
        ui.painter().text(
            button.center(),
            Align2::CENTER_CENTER,
            icons::CLOSE,
            icon(14.0),
            tok.t2,
        );
        if response.clicked() {
            out.push(Action::App(AppAction::DismissToast(self.id)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_cut_at_its_first_colon() {
        let mut toasts = Toasts::default();
        toasts.show(
            Tone::Info,
            "the index was rebuilt: it is incomplete: \"a.sbi\"",
        );
        let toast = toasts.list().first().unwrap();
        assert_eq!(toast.title, "The index was rebuilt");
        assert_eq!(toast.text, "It is incomplete: \"a.sbi\"");
    }

    #[test]
    fn the_same_message_is_shown_once() {
        let mut toasts = Toasts::default();
        toasts.show(Tone::Error, "nothing");
        toasts.show(Tone::Error, "nothing");
        assert_eq!(toasts.list().len(), 1);
        assert!(toasts.dismiss_newest());
        assert!(!toasts.dismiss_newest());
    }

    #[test]
    fn a_message_stays_as_long_as_it_takes_to_read_it() {
        let mut toasts = Toasts::default();
        toasts.show(Tone::Info, "saved");
        toasts.show(Tone::Info, &"long ".repeat(20));
        toasts.show(Tone::Error, "broken");
        let stays: Vec<_> = toasts.list().iter().map(Toast::stay).collect();
        assert!(stays[0] < stays[1] && stays[1] < stays[2], "{stays:?}");
        assert!(stays[2] < Duration::from_secs(60), "{stays:?}");
    }

    #[test]
    fn the_status_bar_shows_the_newest_line_and_then_what_was_not_seen() {
        let mut toasts = Toasts::default();
        let line = |toasts: &Toasts| toasts.line().map(|toast| toast.title.clone());
        toasts.show(Tone::Info, "the index was rebuilt");
        toasts.show(Tone::Info, "symbols come from a.elf");
        assert!(look(&mut toasts, 1.0));
        assert_eq!(line(&toasts).as_deref(), Some("Symbols come from a.elf"));
        toasts.show(Tone::Info, "no later hit");
        assert!(look(&mut toasts, 2.0));
        assert_eq!(line(&toasts).as_deref(), Some("No later hit"));
        toasts.expire_at(Duration::from_secs(9));
        assert_eq!(line(&toasts).as_deref(), Some("The index was rebuilt"));
    }

    #[test]
    fn a_message_about_a_position_leaves_with_the_next_move() {
        let mut toasts = Toasts::default();
        toasts.show(Tone::Info, "no later hit");
        toasts.bind_newest(Position(7));
        toasts.show(Tone::Warning, "broken");
        toasts.move_to(Position(7));
        assert_eq!(toasts.list().len(), 2);
        toasts.move_to(Position(8));
        assert_eq!(toasts.list().len(), 1);
        assert!(toasts.line().is_none());
    }

    /// Lets messages expire at a second. Returns true if any is left.
    fn look(toasts: &mut Toasts, second: f64) -> bool {
        let next = toasts.expire_at(Duration::from_secs_f64(second));
        assert_eq!(next.is_some(), !toasts.list().is_empty());
        next.is_some()
    }

    #[test]
    fn a_message_leaves_when_it_had_its_time_since_it_was_seen() {
        let mut toasts = Toasts::default();
        assert!(!look(&mut toasts, 100.0));
        toasts.show(Tone::Info, "saved");
        assert!(look(&mut toasts, 200.0) && look(&mut toasts, 205.2));
        assert!(!look(&mut toasts, 205.4));
    }

    #[test]
    fn time_is_still_while_the_pointer_is_at_a_message() {
        let mut toasts = Toasts::default();
        toasts.show(Tone::Warning, "saved");
        assert!(look(&mut toasts, 1.0));
        toasts.is_held = true;
        assert!(look(&mut toasts, 61.0));
        toasts.is_held = false;
        assert!(look(&mut toasts, 71.0));
        assert!(!look(&mut toasts, 72.0));
    }
}
