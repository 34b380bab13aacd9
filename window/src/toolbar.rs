//! Toolbar with the field "Find". Backward buttons are always to the left of forward ones.
//!
//! In a narrow window the field becomes a button, and texts become icons.

use egui::{
    Align, Align2, Frame, Id, Key, Layout, Rect, Response, Sense, Stroke, StrokeKind, TextEdit, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};
use stepback_debugger::action::{Action, FindQuery, SearchAction};
use stepback_debugger::desk::FindState;
use stepback_debugger::desk::words::count;
use stepback_debugger::keymap;
use stepback_debugger::keymap::{CommandContext, CommandId};
use stepback_debugger::messages::say;
use stepback_debugger::notes::BookmarkPlace;
use stepback_parsers::Position;

use crate::app::App;
use crate::go_to::{SuggestionSource, counter_width};
use crate::theme::{ThemeColors, icon, icon_fill, icons, mono, ui as ui_font};
use crate::widgets::{BUTTON_HEIGHT, FlatButton, label, separator, tip, width};

/// Width of a window in points from which every button has room for its name.
const WITH_ALL_NAMES: f32 = 1680.0;
/// Width in points below which the fields shrink.
const WIDE: f32 = 1500.0;
/// Width in points below which the "Find" field is a button.
const WITH_FIND: f32 = 1200.0;
/// Width in points below which there are no lines between groups of buttons.
const WITH_LINES: f32 = 900.0;

const ACCESSES: [CommandId; 3] = [CommandId::LastWrite, CommandId::NextWrite, CommandId::Why];
const WINDOWS: [CommandId; 2] = [CommandId::SideBySide, CommandId::Compare];
/// The last buttons, which are left out from the end where there is no room.
const LAST: [CommandId; 3] = [
    CommandId::Bookmark,
    CommandId::SideBySide,
    CommandId::Compare,
];
/// Width of a button without a name in points.
const BUTTON: f32 = 28.0;

pub fn toolbar_ui(ui: &mut Ui, app: &mut App, situation: &CommandContext, out: &mut Vec<Action>) {
    let rect = ui.max_rect();
    let wide = rect.width();
    let field = if wide >= WIDE {
        264.0
    } else {
        (wide - 642.0 - counter_width(ui, end_of(app))).clamp(76.0, 190.0)
    };
    let inner = rect.shrink2(vec2(8.0, 0.0));
    ui.spacing_mut().item_spacing.x = 2.0;
    let builder = UiBuilder::new()
        .max_rect(inner)
        .layout(Layout::right_to_left(Align::Center));
    ui.scope_builder(builder, |ui| {
        find_ui(ui, app, situation, wide, out);
        ui.add_space(4.0);
        let around = app
            .program
            .desk
            .as_ref()
            .map(|desk| (&desk.session, &app.program.worker));
        app.go_to.box_ui(
            ui,
            field,
            around.map(|(session, worker)| SuggestionSource { session, worker }),
            out,
        );
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.set_clip_rect(ui.max_rect().intersect(ui.clip_rect()));
            let end = end_of(app);
            let named = [&ACCESSES[..], &WINDOWS].concat();
            let named = match ui.available_width() {
                room if wide >= WITH_ALL_NAMES && buttons_width(ui, &named, end) <= room => named,
                room if buttons_width(ui, &ACCESSES, end) <= room => ACCESSES.to_vec(),
                _ => Vec::new(),
            };
            let shown = last_buttons(icons_width(ui, end, wide) - ui.available_width());
            let drawn = DrawnButtons { named, shown, wide };
            buttons_ui(ui, app, situation, drawn, out);
        });
    });
}

/// Draws the search field, or a button that focuses the field of the search panel.
fn find_ui(
    ui: &mut Ui,
    app: &mut App,
    situation: &CommandContext,
    wide: f32,
    out: &mut Vec<Action>,
) {
    let Some(desk) = app.program.desk.as_ref().filter(|_| wide >= WITH_FIND) else {
        button(ui, CommandId::Find, None, situation, out);
        return;
    };
    let field = if wide >= WIDE {
        (wide - 1280.0).clamp(190.0, 232.0)
    } else {
        150.0
    };
    app.find_box.ui(ui, field, &desk.find, out);
}

/// Returns the last position of the trace.
fn end_of(app: &App) -> u64 {
    app.program
        .desk
        .as_ref()
        .map_or(0, |desk| desk.session.index.step_count())
}

/// Returns the text of a named button.
fn button_text(command: CommandId) -> &'static str {
    label(command).trim_end_matches('…')
}

/// Returns the width of all buttons in points, if some of them have names.
fn buttons_width(ui: &Ui, named: &[CommandId], end: u64) -> f32 {
    let names = named.iter().map(|command| {
        let (name, text) = (command.command().label(), Some(button_text(*command)));
        let named = FlatButton {
            text,
            ..FlatButton::of_icon(name, ' ')
        };
        named.width(ui) - BUTTON
    });
    icons_width(ui, end, f32::INFINITY) + names.sum::<f32>()
}

/// Returns the width of all buttons without names in points, in a window of a width.
fn icons_width(ui: &Ui, end: u64, wide: f32) -> f32 {
    const BUTTONS: f32 = 17.0;
    const LINES: f32 = 52.0;
    let gap = ui.spacing().item_spacing.x;
    let lines = if wide >= WITH_LINES { LINES } else { 0.0 };
    BUTTONS * (BUTTON + gap) + lines + counter_width(ui, end) + 28.0
}

/// Returns the last buttons without those for which there is no room, if all of them are too wide by
/// some points.
fn last_buttons(excess: f32) -> &'static [CommandId] {
    let left_out = (excess.max(0.0) / (BUTTON + 2.0)).ceil() as usize;
    &LAST[..LAST.len().saturating_sub(left_out)]
}

/// How the buttons are drawn.
struct DrawnButtons {
    /// Buttons that have names.
    named: Vec<CommandId>,
    /// The shown ones of [`LAST`].
    shown: &'static [CommandId],
    /// Width of the window in points.
    wide: f32,
}

impl DrawnButtons {
    fn name_of(&self, command: CommandId) -> Option<&'static str> {
        self.named.contains(&command).then(|| button_text(command))
    }
}

fn buttons_ui(
    ui: &mut Ui,
    app: &mut App,
    situation: &CommandContext,
    drawn: DrawnButtons,
    out: &mut Vec<Action>,
) {
    let (wide, end) = (drawn.wide, end_of(app));
    button(ui, CommandId::Open, None, situation, out);
    divide(ui, wide);
    // Buttons without a target are dimmed.
    let nowhere = CommandContext::default();
    let where_useful = |is_useful: bool| if is_useful { situation } else { &nowhere };
    let (can_back, can_forward) = app.program.desk.as_ref().map_or((false, false), |desk| {
        let window = desk.windows.active();
        (!window.back.is_empty(), !window.forward.is_empty())
    });
    icons_ui(ui, &[CommandId::BackInHistory], where_useful(can_back), out);
    icons_ui(
        ui,
        &[CommandId::ForwardInHistory],
        where_useful(can_forward),
        out,
    );
    divide(ui, wide);
    let position = situation.position().unwrap_or(Position(0));
    icons_ui(
        ui,
        &[
            CommandId::GoToStart,
            CommandId::StepBackOut,
            CommandId::StepBackOver,
            CommandId::StepBack,
        ],
        where_useful(position > Position(0)),
        out,
    );
    ui.add_space(4.0);
    app.go_to.counter_ui(ui, situation, end, out);
    ui.add_space(4.0);
    icons_ui(
        ui,
        &[
            CommandId::Step,
            CommandId::StepOver,
            CommandId::StepOut,
            CommandId::GoToEnd,
        ],
        where_useful(position < Position(end)),
        out,
    );
    divide(ui, wide);
    for command in ACCESSES {
        button(ui, command, drawn.name_of(command), situation, out);
    }
    divide(ui, wide);
    for command in drawn.shown {
        match command {
            CommandId::Bookmark => bookmark_ui(ui, app, situation, out),
            _ => {
                button(ui, *command, drawn.name_of(*command), situation, out);
            }
        }
    }
}

/// Draws a line between groups, if it fits.
fn divide(ui: &mut Ui, wide: f32) {
    if wide >= WITH_LINES {
        separator(ui);
    }
}

/// Draws the bookmark button, with a filled ribbon if the position is marked.
fn bookmark_ui(ui: &mut Ui, app: &App, situation: &CommandContext, out: &mut Vec<Action>) {
    let here = situation.position().zip(app.program.desk.as_ref());
    let place = |position| BookmarkPlace::Position(position);
    let marked = here.and_then(|(position, desk)| desk.bookmarks.at(place(position.0)));
    let response = button(ui, CommandId::Bookmark, None, situation, out);
    if let Some(bookmark) = marked {
        let tok = crate::theme::ThemeColors::current(ui);
        let (center, color) = (response.rect.center(), tok.ribbon(bookmark.color));
        ui.painter().text(
            center,
            egui::Align2::CENTER_CENTER,
            icons::BOOKMARK,
            icon_fill(17.0),
            color,
        );
    }
}

/// Draws buttons that show only an icon.
fn icons_ui(
    ui: &mut Ui,
    commands: &[CommandId],
    situation: &CommandContext,
    out: &mut Vec<Action>,
) {
    for command in commands {
        button(ui, *command, None, situation, out);
    }
}

/// Draws the button of a command; `text` follows its icon.
fn button(
    ui: &mut Ui,
    id: CommandId,
    text: Option<&str>,
    situation: &CommandContext,
    out: &mut Vec<Action>,
) -> Response {
    let command = id.command();
    let (action, icon) = (command.action(situation), command.icon);
    let shown = FlatButton {
        name: command.label(),
        icon,
        text,
        is_enabled: action.is_some(),
        icon_size: 17.0,
    };
    let response = shown.ui(ui).on_hover_text(hint(id, situation));
    if let Some(action) = action.filter(|_| response.clicked()) {
        out.push(action);
    }
    response
}

/// Returns the name and key. For the last and next write it includes the cell.
fn hint(command: CommandId, situation: &CommandContext) -> String {
    match situation
        .cell
        .as_ref()
        .filter(|_| command.command().is_access())
    {
        Some(cell) => {
            let label = label(command);
            tip(command).replacen(label, &keymap::of_cell(label, cell), 1)
        }
        None => tip(command),
    }
}

/// State of the field.
#[derive(Default)]
pub struct FindBox {
    text: String,
    /// Number of the displayed search.
    number: u64,
}

impl FindBox {
    pub fn ui(&mut self, ui: &mut Ui, wide: f32, find: &FindState, out: &mut Vec<Action>) {
        if self.number != find.number() {
            self.number = find.number();
            self.text = find
                .question()
                .map(|question| question.text.clone())
                .unwrap_or_default();
        }
        let tok = ThemeColors::current(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(wide, BUTTON_HEIGHT), Sense::hover());
        let painter = ui.painter();
        painter.rect_filled(rect, 4.0, tok.bg1);
        painter.text(
            rect.left_center() + vec2(9.0, 0.0),
            Align2::LEFT_CENTER,
            icons::SEARCH,
            icon(14.0),
            tok.t2,
        );
        let found = find.found().map(|found| count(found.count()));
        let stated = found.map_or(0.0, |found| {
            let right = rect.right_center() - vec2(8.0, 0.0);
            painter.text(right, Align2::RIGHT_CENTER, &found, mono(11.5), tok.t3);
            width(ui, &found, &mono(11.5)) + 8.0
        });
        let inner = Rect::from_min_max(
            rect.min + vec2(29.0, 0.0),
            pos2(rect.right() - stated - 8.0, rect.bottom()),
        );
        let hint = egui::RichText::new(say!("find-find"))
            .font(ui_font(12.5))
            .color(tok.t3);
        let font = if self.text.is_empty() {
            ui_font(12.5)
        } else {
            mono(12.5)
        };
        let edit = TextEdit::singleline(&mut self.text)
            .id(Id::unique("find in toolbar"))
            .hint_text(hint);
        let edit = edit
            .font(font)
            .frame(Frame::NONE)
            .desired_width(inner.width())
            .align(Align2::LEFT_CENTER);
        // Placed directly, so that the rest of the toolbar does not move.
        let response = ui.place(inner, edit);
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::TextInput, true, say!("find-find-in-the-trace"))
        });
        let stroke = match (find.error(), response.has_focus()) {
            (_, true) => Stroke::new(2.0, tok.focus),
            (Some(_), false) => Stroke::new(1.0, tok.err),
            (None, false) => Stroke::new(1.0, tok.ctl),
        };
        ui.painter()
            .rect_stroke(rect, 4.0, stroke, StrokeKind::Inside);
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
            // Restores the text of the current search.
            self.text = find
                .question()
                .map(|question| question.text.clone())
                .unwrap_or_default();
        }
        let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if is_entered && !self.text.trim().is_empty() {
            out.push(Action::Search(SearchAction::Find(FindQuery {
                text: self.text.clone(),
                ..FindQuery::default()
            })));
        }
    }
}
