//! Widgets that panels share: clickable rows and links, messages in place of rows, a text field,
//! and the chooser of a thread.
//!
//! Each clickable item has a name for screen readers and tests.

use egui::text::LayoutJob;
use egui::{
    Align, Pos2, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};
use stepback_debugger::action::{Action, AppAction, FileAction, Moment, PanelAction};
use stepback_debugger::action::{TraceId, WindowId};
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::text::thousands;
use stepback_index::answer::ThreadInfo;
use stepback_parsers::Step;

use crate::panels::PanelContext;
use crate::panels::menu::is_chosen;
use crate::panels::pen::Pen;
use crate::theme::{icon, icons, mono, ui as ui_font};

/// Makes a row clickable. Rows are not in the Tab order: arrows move within a panel.
pub fn row_response(
    ui: &Ui,
    rect: Rect,
    salt: impl egui::AsIdSalt,
    name: impl Fn() -> String,
) -> Response {
    let response = ui.interact(rect, ui.unique_id().with(salt), Sense::CLICK);
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, name()));
    response
}

/// Makes a small painted button clickable.
pub fn button_response(ui: &Ui, rect: Rect, salt: impl egui::AsIdSalt, name: &str) -> Response {
    let response = ui.interact(rect, ui.unique_id().with(salt), Sense::CLICK);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    response
}

/// Highlights of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowState {
    /// Chosen, or the step that was just done.
    pub is_selected: bool,
    pub is_cursor: bool,
    /// The panel has the keyboard.
    pub has_focus: bool,
}

/// Paints the background of a row.
pub fn row_background(pen: &Pen<'_>, rect: Rect, response: &Response, state: RowState) {
    let tok = pen.tok;
    if state.is_selected {
        pen.fill(rect, if state.has_focus { tok.sel } else { tok.bg3 });
    } else if response.hovered() {
        pen.fill(rect, tok.hover);
    }
    if state.is_cursor && state.has_focus {
        pen.frame(rect.shrink(1.0), 0, tok.focus);
    }
}

/// A link to a step. A click travels to just after it; a middle or Ctrl+click opens a window there.
#[derive(Clone, Copy, Debug)]
pub struct StepLink {
    pub step: Step,
    pub trace: TraceId,
    /// Window that travels.
    pub window: WindowId,
}

impl StepLink {
    /// Measures the width of the link.
    pub fn width(self, pen: &Pen<'_>) -> f32 {
        pen.width(&thousands(self.step.0), mono(12.0))
    }

    /// Paints the link from `x` on, vertically centred at `y`. Returns its right edge.
    pub fn ui(self, ui: &Ui, pen: &Pen<'_>, x: f32, y: f32, out: &mut Vec<Action>) -> f32 {
        let text = thousands(self.step.0);
        let width = self.width(pen);
        let rect = Rect::from_min_size(pos2(x, y - 8.0), vec2(width, 16.0));
        let salt = ("step link", x.to_bits(), y.to_bits(), self.step.0);
        let response = ui.interact(rect, ui.unique_id().with(salt), Sense::CLICK);
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Link, true, say!("row-to-step", text = &text))
        });
        let color = pen.tok.accent;
        let end = pen.text(x, y, text, mono(12.0), color);
        if response.hovered() {
            pen.line_across(x, end, y + 7.0, color);
            ui.set_cursor_icon(egui::CursorIcon::PointingHand);
        }
        self.act(ui, &response, out);
        end
    }

    fn act(self, ui: &Ui, response: &Response, out: &mut Vec<Action>) {
        let to = Moment {
            trace: self.trace,
            position: self.step.after(),
        };
        if response.middle_clicked()
            || (response.clicked() && ui.input(|input| input.modifiers.command))
        {
            out.push(Action::Panel(PanelAction::OpenWindowAt(to)));
        } else if response.clicked() {
            out.push(Action::travel(self.window, to.position));
        }
    }
}

/// Height of a line of an empty panel, in points.
const LINE: f32 = 18.0;

/// Reason why there is nothing to show, and advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyMessage<'a>(pub &'a str, pub &'a str);

/// Paints a panel without content: an icon, one sentence, one of advice. Lines without room are
/// left out, so that they do not cover other parts of the panel.
pub fn empty_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, shape: char, words: EmptyMessage<'_>) {
    message_ui(ui, pen, rect, shape, words);
}

/// Paints the same as [`empty_ui`], and returns the lower edge of the text.
pub fn message_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, shape: char, words: EmptyMessage<'_>) -> f32 {
    let EmptyMessage(sentence, advice) = words;
    // In a low panel the words matter more than the icon.
    let has_icon = rect.height() >= 96.0;
    let mut center = rect.center();
    if !has_icon {
        center.y = (center.y - 10.0).max(rect.top() + LINE / 2.0);
    }
    if has_icon {
        pen.icon(center - vec2(0.0, 29.0), shape, 26.0, pen.tok.t3);
    }
    let width = rect.width() - 24.0;
    let mut end = center.y;
    if rect.height() >= LINE {
        let font = crate::theme::medium(13.0);
        let height = pen.wrapped_text_centered(center, sentence, font, pen.tok.t1, width);
        let mut advice = LayoutJob::simple(advice.to_owned(), ui_font(12.0), pen.tok.t3, width);
        advice.halign = Align::Center;
        let place = center + vec2(0.0, 12.0 + height);
        end = center.y + LINE / 2.0 + height;
        let advice = pen.painter.layout_job(advice);
        let advice_end = place.y + advice.size().y;
        if !advice.is_empty() && advice_end <= rect.bottom() {
            pen.painter.galley(place, advice, pen.tok.t3);
            end = advice_end;
        }
    }
    let response = ui.interact(rect, ui.unique_id().with("empty"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, sentence));
    end
}

/// Space between two buttons, in points.
const BUTTON_GAP: f32 = 8.0;

/// Paints the error of a failed query, with buttons that reload the trace and copy the error.
pub fn error_ui(ui: &mut Ui, pen: &Pen<'_>, rect: Rect, error: &str, out: &mut Vec<Action>) {
    let center = rect.center();
    pen.icon(
        center - vec2(0.0, 29.0),
        crate::theme::icons::ERROR,
        26.0,
        pen.tok.err,
    );
    let width = (rect.width() - 32.0).max(0.0);
    let galley = pen
        .painter
        .layout(error.to_owned(), ui_font(12.0), pen.tok.t1, width);
    let (left, height) = (center.x - galley.size().x / 2.0, galley.size().y);
    pen.painter.galley(
        pos2(left.round(), (center.y - 8.0).round()),
        galley,
        pen.tok.t1,
    );
    let response = ui.interact(rect, ui.unique_id().with("error"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, error));
    let choices = [
        (say!("opened-reload"), Action::File(FileAction::Reload)),
        (
            say!("row-copy"),
            Action::App(AppAction::Copy(error.to_owned())),
        ),
    ];
    let widths = choices.each_ref().map(|(name, _)| {
        let galley = pen
            .painter
            .layout_no_wrap((*name).to_owned(), ui_font(13.0), pen.tok.t1);
        galley.size().x + 24.0
    });
    let mut x = center.x - (widths.iter().sum::<f32>() + BUTTON_GAP) / 2.0;
    for ((name, action), width) in choices.into_iter().zip(widths) {
        let button = Rect::from_min_size(pos2(x, center.y + height + 1.0), vec2(width, 26.0));
        if ui.put(button, egui::Button::new(name)).clicked() {
            out.push(action);
        }
        x += width + BUTTON_GAP;
    }
}

/// Requests a repaint for the time when a pending answer counts as late, so that the view reports
/// it.
pub fn watch_for_late(ui: &Ui) {
    ui.ctx()
        .request_repaint_after(stepback_debugger::worker::LATE_AFTER);
}

/// Paints three bars in place of rows that are still loading.
pub fn loading_ui(pen: &Pen<'_>, rect: Rect) {
    for (place, width) in [(0u8, 0.5), (1, 0.7), (2, 0.4)] {
        let top = rect.top() + 12.0 + 18.0 * f32::from(place);
        let bar = Rect::from_min_size(
            pos2(rect.left() + 12.0, top),
            vec2((rect.width() - 24.0) * width, 8.0),
        );
        pen.painter
            .rect_filled(bar.intersect(rect), 2.0, pen.tok.bg3);
    }
}

/// A text field and its decoration.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Hint while the field is empty; also its name for screen readers.
    pub hint: &'a str,
    pub icon: char,
}

impl Field<'_> {
    /// Draws the field into a rectangle 22 points high.
    pub fn ui(self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, text: &mut String) -> Response {
        let tok = pen.tok;
        pen.painter.rect(
            rect,
            4.0,
            tok.bg1,
            Stroke::new(1.0, tok.ctl),
            StrokeKind::Inside,
        );
        pen.text_centered(
            rect.left_center() + vec2(13.0, 0.0),
            self.icon,
            icon(14.0),
            tok.t3,
        );
        let inner = Rect::from_min_max(rect.min + vec2(26.0, 0.0), rect.max - vec2(6.0, 0.0));
        let edit = egui::TextEdit::singleline(text)
            .id(ui.unique_id().with(self.hint))
            .frame(egui::Frame::NONE)
            .margin(egui::Margin::ZERO)
            .font(ui_font(12.0))
            .text_color(tok.t1)
            .hint_text(egui::RichText::new(self.hint).color(tok.t3))
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(inner.width());
        let response = ui.put(inner, edit);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, self.hint));
        if response.has_focus() {
            pen.painter
                .rect_stroke(rect, 4.0, Stroke::new(2.0, tok.focus), StrokeKind::Inside);
        }
        response
    }

    /// Draws the field. If it is to take the keyboard, the next letter replaces its text.
    pub fn focused_ui(
        self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        rect: Rect,
        text: &mut String,
        focus: FocusRequest,
    ) -> Response {
        let response = self.ui(ui, pen, rect, text);
        if focus == FocusRequest::Wanted {
            response.request_focus();
            select_all(ui, response.id, text);
        }
        response
    }

    /// Draws a field above a list. Down leaves it for the list.
    pub fn list_ui(
        self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        rect: Rect,
        text: &mut String,
        focus: FocusRequest,
    ) -> Response {
        let response = self.focused_ui(ui, pen, rect, text, focus);
        if response.has_focus() && ui.input(|input| input.key_pressed(egui::Key::ArrowDown)) {
            response.surrender_focus();
        }
        response
    }
}

/// Keyboard focus of a field in this frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FocusRequest {
    /// The field takes the keyboard.
    Wanted,
    /// The focus stays where it is.
    #[default]
    Left,
}

/// Selects the text of a field, so that the next letter replaces it.
pub fn select_all(ui: &Ui, id: egui::Id, text: &str) {
    use egui::text::{CCursor, CCursorRange};
    let mut state = egui::text_edit::TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let range = CCursorRange::two(CCursor::new(0usize), CCursor::new(text.chars().count()));
    state.cursor.set_char_range(Some(range));
    state.store(ui.ctx(), id);
}

/// Message id of the entry for the thread that executes at the position.
pub const OF_POSITION: &str = "thread-of-the-position";

/// Maximum height of the list of threads, in points.
const LIST_HEIGHT: f32 = 320.0;

/// Name of the chosen thread; none: the thread at the position.
pub type ChosenThread = Option<String>;

/// Inputs of the thread chooser; `shown` is the name of the thread that is shown.
pub struct ThreadChooserView<'a> {
    pub pen: &'a Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub shown: &'a str,
}

/// Draws the chooser from `left` on, vertically centred at `y`. Returns its right edge. Draws
/// nothing if the trace has one thread.
pub fn thread_chooser_ui(
    ui: &Ui,
    Pos2 { x: left, y }: Pos2,
    ThreadChooserView { pen, cx, shown }: ThreadChooserView<'_>,
    chosen: &mut ChosenThread,
) -> f32 {
    let threads = cx.desk.session.index.threads();
    if threads.len() < 2 {
        return left;
    }
    let tok = cx.tok;
    let width = pen.width(shown, mono(11.5)) + 30.0;
    let rect = Rect::from_min_size(pos2(left, y - 10.0), vec2(width, 20.0));
    let response = ui.interact(rect, ui.unique_id().with("thread"), Sense::CLICK);
    response.widget_info(|| {
        WidgetInfo::labeled(
            egui::Role::Button,
            true,
            say!("thread-thread", shown = shown),
        )
    });
    pen.painter.rect_filled(
        rect,
        4.0,
        if response.hovered() { tok.bg4 } else { tok.bg3 },
    );
    let end = pen.text(left + 8.0, y, shown, mono(11.5), tok.t1);
    pen.text(end + 6.0, y, icons::CARET_DOWN, icon(10.0), tok.t2);
    if response.has_focus() {
        pen.frame(rect, 4, tok.focus);
    }
    egui::Popup::menu(&response).show(|ui| {
        ui.style_mut().override_font_id = Some(ui_font(13.0));
        let of_position = egui::Button::selectable(chosen.is_none(), spoken(OF_POSITION));
        let of_position = ui.add(of_position);
        if is_chosen(ui, &of_position) {
            *chosen = None;
        }
        threads_ui(ui, threads, chosen);
    });
    let words = match chosen {
        Some(_) => say!("thread-this-thread-wherever-the-position"),
        None => say!("thread-the-thread-that-executes-at"),
    };
    response.on_hover_text(words);
    rect.right()
}

/// Draws the list of threads. Only the threads in view are drawn, since there may be thousands.
fn threads_ui(ui: &mut Ui, threads: &[ThreadInfo], chosen: &mut ChosenThread) {
    let row_height = ui.spacing().interact_size.y;
    egui::ScrollArea::vertical()
        .max_height(LIST_HEIGHT)
        .show_rows(ui, row_height, threads.len(), |ui, in_view| {
            for thread in threads.get(in_view).unwrap_or_default() {
                let is_selected = chosen.as_deref() == Some(thread.name.as_str());
                let entry = ui.add(egui::Button::selectable(is_selected, &thread.name));
                if is_chosen(ui, &entry) {
                    *chosen = Some(thread.name.clone());
                }
            }
        });
}
