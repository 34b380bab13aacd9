//! The "Go to" box and the step counter: two fields for a position.

use std::sync::Arc;

use egui::{
    Align2, Frame, Id, Key, Rect, Sense, Stroke, StrokeKind, TextEdit, Ui, UiBuilder, WidgetInfo,
    pos2, vec2,
};
use stepback_debugger::action::{Action, TravelAction};
use stepback_debugger::desk::PlaceSuggestions;
use stepback_debugger::desk::words::count;
use stepback_debugger::keymap::{CommandContext, CommandId, place_text};
use stepback_debugger::messages::say;
use stepback_debugger::model::go_to::Suggestion;
use stepback_debugger::session::Session;
use stepback_debugger::worker::Worker;

use super::widgets::{BUTTON_HEIGHT, badge, first_key, key_cap, label, paint_flat, width};
use crate::theme::{ThemeColors, icon, icons, mono, mono_bold, ui as ui_font};

/// Minimum width in points to show the key in the box.
const WITH_KEY: f32 = 120.0;

/// State of both fields.
#[derive(Default)]
pub struct GoToBox {
    pub text: String,
    pub error: Option<String>,
    is_focus_wanted: bool,
    /// Suggestions for the text.
    places: PlaceSuggestions,
    /// Suggestion under the cursor.
    chosen: Option<usize>,
    /// The mouse is pressed on the list of suggestions.
    is_pressed: bool,
    /// Text typed over the step counter, during input.
    counter: Option<String>,
}

pub struct SuggestionSource<'a> {
    pub session: &'a Arc<Session>,
    pub worker: &'a Worker,
}

/// Returns the width of the counter of a trace. It fits the largest number, so that the counter
/// does not move while stepping.
pub fn counter_width(ui: &Ui, end: u64) -> f32 {
    let whole = format!("/ {}", count(end));
    let widest = width(ui, &count(end), &mono_bold(12.5)) + width(ui, &whole, &mono(12.5)) + 50.0;
    widest.max(132.0)
}

impl GoToBox {
    /// Focuses the box in the next frame.
    pub fn focus(&mut self) {
        self.is_focus_wanted = true;
    }

    /// Clears the box after the position was found, and returns the keyboard to the panels.
    pub fn succeed(&mut self, context: &egui::Context) {
        self.text.clear();
        self.error = None;
        context.memory_mut(|memory| memory.surrender_focus(id()));
    }

    /// Restores a text that was not found, with the error below it.
    pub fn refuse(&mut self, text: String, error: &str) {
        self.text = text;
        self.error = Some(error.to_owned());
        self.is_focus_wanted = true;
    }

    /// Removes a text that was not found, with its error.
    pub fn leave_error(&mut self) {
        if self.error.take().is_some() {
            self.text.clear();
        }
    }

    pub fn box_ui(
        &mut self,
        ui: &mut Ui,
        wide: f32,
        asking: Option<SuggestionSource<'_>>,
        out: &mut Vec<Action>,
    ) {
        let tok = ThemeColors::current(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(wide, BUTTON_HEIGHT), Sense::hover());
        let cap_color = tok.bg1;
        ui.painter().rect_filled(rect, 4.0, cap_color);
        ui.painter().text(
            rect.left_center() + vec2(9.0, 0.0),
            Align2::LEFT_CENTER,
            icons::GO_TO,
            icon(14.0),
            tok.t2,
        );
        let key = first_key(CommandId::GoTo).unwrap_or_default();
        let end = match wide < WITH_KEY {
            true => rect.right() + 2.0,
            false => key_cap(
                ui.painter(),
                rect.right_center() - vec2(5.0, 0.0),
                &key,
                tok,
            )
            .left(),
        };
        let left = rect.left() + if wide < WITH_KEY { 25.0 } else { 29.0 };
        let inner = Rect::from_min_max(pos2(left, rect.top()), pos2(end - 4.0, rect.bottom()));
        let hint = if wide < 200.0 {
            label(CommandId::GoTo)
        } else {
            say!("goto-forms")
        };
        let moved = if ui.memory(|memory| memory.has_focus(id())) {
            arrows(ui)
        } else {
            0
        };
        let response = field(ui, inner, &mut self.text, hint, say!("goto-go-to"));
        if std::mem::take(&mut self.is_focus_wanted) {
            response.request_focus();
            select_all(ui, &response, &self.text);
        }
        self.ring(ui, rect, &response, tok);
        if response.changed() {
            (self.error, self.chosen) = (None, None);
        }
        let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let is_open = self.error.is_none()
            && !self.text.trim().is_empty()
            && (response.has_focus() || is_entered);
        let picked = asking
            .filter(|_| is_open || self.is_pressed)
            .and_then(|asking| self.places_ui(ui, rect, moved, asking));
        match picked.filter(|picked| is_entered || picked.is_clicked) {
            Some(picked) => {
                self.succeed(ui.ctx());
                out.push(picked.action);
            }
            None if is_entered && !self.text.trim().is_empty() => submit(&self.text, out),
            None => {}
        }
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
            self.text.clear();
            (self.error, self.chosen) = (None, None);
        }
    }

    /// Draws the suggestions for an ambiguous text below the box. Returns the one chosen by mouse
    /// or arrow keys.
    fn places_ui(
        &mut self,
        ui: &Ui,
        rect: Rect,
        moved: isize,
        SuggestionSource { session, worker }: SuggestionSource<'_>,
    ) -> Option<SuggestionPick> {
        let tok = ThemeColors::current(ui);
        let places = self.places.poll(&self.text, session, worker);
        let last = places.len().checked_sub(1)?;
        if moved != 0 {
            let next = self
                .chosen
                .map_or(if moved > 0 { 0 } else { last }, |chosen| {
                    chosen.saturating_add_signed(moved)
                });
            self.chosen = Some(next.min(last));
        }
        let chosen = self.chosen;
        let mut clicked = None;
        let area = egui::Area::new(Id::unique("go to places")).order(egui::Order::Foreground);
        let area = area
            .fixed_pos(rect.right_bottom() + vec2(0.0, 4.0))
            .pivot(Align2::RIGHT_TOP);
        let shown = area.show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                for (number, place) in places.iter().enumerate() {
                    let row = SuggestionRow {
                        place,
                        wide: rect.width().max(380.0),
                        is_chosen: chosen == Some(number),
                    };
                    if row.ui(ui, tok).clicked() {
                        clicked = Some(number);
                    }
                }
            });
        });
        // A press on the list takes the focus from the box before the click is complete.
        self.is_pressed = shown.response.contains_pointer()
            && ui.input(|input| input.pointer.any_down() || input.pointer.any_released());
        // Enter does what the first row says if it is no position.
        let is_memory = |place: &&Suggestion| matches!(place.action, Action::View(_));
        let first = places.first().filter(is_memory).map(|_| 0);
        let place = places.get(clicked.or(chosen).or(first)?)?;
        Some(SuggestionPick {
            action: place.action.clone(),
            is_clicked: clicked.is_some(),
        })
    }

    fn ring(&self, ui: &Ui, rect: Rect, field: &egui::Response, tok: &ThemeColors) {
        let stroke = match (&self.error, field.has_focus()) {
            (Some(_), _) => Stroke::new(1.0, tok.err),
            (None, true) => Stroke::new(2.0, tok.focus),
            (None, false) => Stroke::new(1.0, tok.ctl),
        };
        ui.painter()
            .rect_stroke(rect, 4.0, stroke, StrokeKind::Inside);
        let Some(error) = &self.error else { return };
        egui::Area::new(Id::unique("go to error"))
            .order(egui::Order::Foreground)
            .fixed_pos(rect.right_bottom() + vec2(0.0, 4.0))
            .pivot(Align2::RIGHT_TOP)
            .show(ui.ctx(), |ui| {
                Frame::popup(ui.style())
                    .show(ui, |ui| error_line(ui, error, rect.width().max(320.0)));
            });
    }

    /// Draws the step counter: `[1] 1,250 / 1,763`. A click turns it into a field.
    pub fn counter_ui(
        &mut self,
        ui: &mut Ui,
        situation: &CommandContext,
        end: u64,
        out: &mut Vec<Action>,
    ) {
        let tok = ThemeColors::current(ui);
        let Some((window, position)) = situation.active else {
            return;
        };
        let (now, whole) = (count(position.0), format!("/ {}", count(end)));
        let (rect, response) =
            ui.allocate_exact_size(vec2(counter_width(ui, end), BUTTON_HEIGHT), Sense::click());
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::Button, true, say!("goto-step-counter"))
        });
        ui.painter().rect_filled(rect, 4.0, tok.bg1);
        badge(
            ui.painter(),
            rect.left_center() + vec2(8.0, 0.0),
            window.0,
            tok,
        );
        let inner = Rect::from_min_max(
            pos2(rect.left() + 32.0, rect.top()),
            rect.max - vec2(6.0, 0.0),
        );
        if self.counter.is_some() {
            self.counter_field(ui, rect, inner, out);
            return;
        }
        paint_flat(ui.painter(), rect, &response, tok);
        ui.painter()
            .rect_stroke(rect, 4.0, Stroke::new(1.0, tok.ctl), StrokeKind::Inside);
        badge(
            ui.painter(),
            rect.left_center() + vec2(8.0, 0.0),
            window.0,
            tok,
        );
        let number = ui.painter().text(
            inner.left_center(),
            Align2::LEFT_CENTER,
            now,
            mono_bold(12.5),
            tok.t1,
        );
        let after = pos2(number.right() + 7.0, inner.center().y);
        ui.painter()
            .text(after, Align2::LEFT_CENTER, whole, mono(12.5), tok.t3);
        if response
            .on_hover_text(say!("goto-steps-done-of-all-click"))
            .clicked()
        {
            self.counter = Some(position.0.to_string());
            ui.memory_mut(|memory| memory.request_focus(counter_id()));
        }
    }

    fn counter_field(&mut self, ui: &mut Ui, rect: Rect, inner: Rect, out: &mut Vec<Action>) {
        let tok = ThemeColors::current(ui);
        ui.painter()
            .rect_stroke(rect, 4.0, Stroke::new(2.0, tok.focus), StrokeKind::Inside);
        let Some(text) = self.counter.as_mut() else {
            return;
        };
        let edit = TextEdit::singleline(text)
            .id(counter_id())
            .font(mono(12.5))
            .frame(Frame::NONE);
        let response = ui.place(
            inner,
            edit.desired_width(inner.width())
                .align(egui::Align2::LEFT_CENTER),
        );
        response
            .widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, say!("goto-step")));
        if response.lost_focus() {
            let is_entered = ui.input(|input| input.key_pressed(Key::Enter));
            if is_entered && !text.trim().is_empty() {
                submit(text, out);
            }
            self.counter = None;
        }
    }
}

fn id() -> Id {
    Id::unique("go to")
}

/// A chosen suggestion.
struct SuggestionPick {
    action: Action,
    is_clicked: bool,
}

/// Returns the movement of the arrow keys in the list below the box.
fn arrows(ui: &Ui) -> isize {
    let pressed = |key| {
        ui.input_mut(|input| input.count_and_consume_key(egui::Modifiers::NONE, key)) as isize
    };
    pressed(Key::ArrowDown) - pressed(Key::ArrowUp)
}

/// Row of the list of suggestions.
struct SuggestionRow<'a> {
    place: &'a Suggestion,
    wide: f32,
    is_chosen: bool,
}

impl SuggestionRow<'_> {
    fn ui(&self, ui: &mut Ui, tok: &ThemeColors) -> egui::Response {
        let Self {
            place,
            wide,
            is_chosen,
        } = *self;
        let (rect, response) = ui.allocate_exact_size(vec2(wide, 24.0), Sense::click());
        let words = format!("{}, {}", place.title, place.note);
        response.widget_info(|| {
            WidgetInfo::selected(egui::Role::ListBoxOption, true, is_chosen, &words)
        });
        let painter = ui.painter();
        if is_chosen || response.hovered() {
            painter.rect_filled(rect, 4.0, if is_chosen { tok.sel } else { tok.hover });
        }
        let right = rect.right_center() - vec2(8.0, 0.0);
        let note = painter.text(
            right,
            Align2::RIGHT_CENTER,
            &place.note,
            ui_font(12.0),
            tok.t3,
        );
        let room = Rect::from_min_max(rect.min, pos2(note.left() - 12.0, rect.bottom()));
        let left = rect.left_center() + vec2(8.0, 0.0);
        painter.with_clip_rect(room).text(
            left,
            Align2::LEFT_CENTER,
            &place.title,
            mono(12.5),
            tok.t1,
        );
        response
    }
}

fn counter_id() -> Id {
    Id::unique("step counter")
}

/// Submits the text as the argument of the command, so that `line 7` works here as well.
fn submit(text: &str, out: &mut Vec<Action>) {
    out.push(Action::Travel(TravelAction::GoTo(place_text(text))));
}

/// Draws a frameless field in a rectangle.
fn field(ui: &mut Ui, inner: Rect, text: &mut String, hint: &str, name: &str) -> egui::Response {
    let tok = ThemeColors::current(ui);
    let hint = egui::RichText::new(hint).font(ui_font(12.5)).color(tok.t3);
    let font = if text.is_empty() {
        ui_font(12.5)
    } else {
        mono(12.5)
    };
    let edit = TextEdit::singleline(text)
        .id(id())
        .hint_text(hint)
        .font(font)
        .frame(Frame::NONE);
    let builder = UiBuilder::new().max_rect(inner);
    let response = ui
        .scope_builder(builder, |ui| {
            ui.add_sized(
                inner.size(),
                edit.desired_width(inner.width())
                    .align(egui::Align2::LEFT_CENTER),
            )
        })
        .inner;
    response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, name));
    response
}

fn select_all(ui: &Ui, response: &egui::Response, text: &str) {
    use egui::text::{CCursor, CCursorRange};
    if let Some(mut state) = egui::text_edit::TextEditState::load(ui.ctx(), response.id) {
        let range = CCursorRange::two(CCursor::new(0usize), CCursor::new(text.chars().count()));
        state.cursor.set_char_range(Some(range));
        state.store(ui.ctx(), response.id);
    }
}

/// Draws an error message below a field, with a triangle.
pub fn error_line(ui: &mut Ui, error: &str, wide: f32) {
    let tok = ThemeColors::current(ui);
    let galley =
        ui.fonts_mut(|fonts| fonts.layout(error.to_owned(), ui_font(12.0), tok.err, wide - 24.0));
    let (rect, response) = ui.allocate_exact_size(galley.size() + vec2(20.0, 4.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, error));
    ui.painter().text(
        rect.left_top() + vec2(0.0, 10.0),
        Align2::LEFT_CENTER,
        icons::WARNING,
        icon(14.0),
        tok.err,
    );
    ui.painter()
        .galley(rect.min + vec2(20.0, 2.0), galley, tok.err);
}
