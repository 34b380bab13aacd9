//! The lines of a source file.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::{Action, AppAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::so_far::so_far;
use stepback_debugger::model::source_view::PositionSource;
use stepback_debugger::source::{SourceText, WordKind};
use stepback_debugger::views::{PanelView, RowGesture, ShownSource, SourceView};

use crate::panels::PanelContext;
use crate::panels::cursor_list::{PanelOutput, RowInput};
use crate::panels::list::ListArea;
use crate::panels::menu::{MenuItem, context_menu, menu_head_ui, menu_line_ui};
use crate::panels::pen::{ADVANCE, Pen};
use crate::panels::row::{RowState, button_response, row_background, row_response};
use crate::theme::{icons, mono, mono_bold};

/// Inputs that all lines of a frame share.
pub struct SourceRows<'a, 'b> {
    /// Clipped to the lines.
    pub pen: Pen<'b>,
    pub cx: &'a PanelContext<'b>,
    pub view: &'a SourceView,
    pub source: &'a ShownSource,
    pub text: &'a SourceText,
    /// Row under the cursor.
    pub cursor: usize,
    /// Horizontal scroll offset of the text, in points.
    pub aside: f32,
}

#[derive(Clone, Copy)]
struct LineText<'a> {
    place: usize,
    line: u32,
    words: &'a str,
    number_end: f32,
}

/// Draws the lines in view.
pub fn rows_ui(
    ui: &Ui,
    area: &ListArea,
    frame: &SourceRows<'_, '_>,
    touched: &mut RowInput,
    out: &mut Vec<Action>,
) {
    let (number_end, mut requested) = (number_end(area, frame.text), PanelOutput { touched, out });
    for (place, rect) in area.places() {
        if let Some(line) = frame.view.line_at(place) {
            let words = frame.text.line(line).unwrap_or_default();
            row_ui(
                ui,
                rect,
                LineText {
                    place,
                    line,
                    words,
                    number_end,
                },
                frame,
                &mut requested,
            );
        }
    }
    frame.pen.line_down(
        number_end + 10.0,
        area.body.top(),
        area.body.bottom(),
        frame.cx.tok.line,
    );
}

fn row_ui(
    ui: &Ui,
    rect: Rect,
    at: LineText<'_>,
    frame: &SourceRows<'_, '_>,
    requested: &mut PanelOutput<'_, RowInput>,
) {
    let LineText {
        place,
        line,
        words,
        number_end,
    } = at;
    let SourceRows {
        pen,
        cx,
        view,
        source,
        ..
    } = frame;
    let tok = cx.tok;
    let response = row_response(ui, rect, ("source", line), || {
        say!("source-line", line = line.to_string())
    });
    let is_current = view.is_here(line, &source.file);
    let state = RowState {
        is_selected: is_current,
        is_cursor: frame.cursor == place,
        has_focus: cx.has_focus,
    };
    row_background(
        pen,
        rect,
        &response,
        RowState {
            has_focus: state.has_focus || is_current,
            ..state
        },
    );
    if is_current {
        current_mark(frame, rect);
    }
    number_ui(ui, rect, at, frame, requested.touched);
    let (y, left) = (rect.center().y, number_end + 18.0);
    let is_cut = left - frame.aside + ADVANCE * words.chars().count() as f32 > rect.right()
        || frame.aside > 0.0;
    let clip = rect
        .with_min_x(left - 6.0)
        .intersect(pen.painter.clip_rect());
    let clipped = Pen {
        painter: pen.painter.with_clip_rect(clip),
        tok,
    };
    words_ui(&clipped, pos2(left - frame.aside, y), frame.text, line);
    context_menu(&response, |ui| menu_ui(ui, at, frame, requested));
    if response.clicked() {
        requested.touched.cursor = Some(place);
    }
    if is_cut {
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(egui::RichText::new(words.trim_start()).font(mono(12.0)));
        });
    }
}

/// Draws the text of a line with syntax colours.
fn words_ui(pen: &Pen<'_>, at: egui::Pos2, text: &SourceText, line: u32) {
    let tok = pen.tok;
    let color = |kind| match kind {
        WordKind::Plain => tok.t1,
        WordKind::Keyword => tok.call,
        WordKind::Text => tok.done,
        WordKind::Number => tok.number,
        WordKind::Comment => tok.t3,
        WordKind::Directive => tok.symbol,
    };
    pen.words(
        at,
        text.words(line)
            .into_iter()
            .map(|word| (word.text, color(word.kind))),
    );
}

/// Returns the width of the longest line in view.
pub fn widest(area: &ListArea, text: &SourceText) -> f32 {
    let line = |row: u64| {
        text.line(u32::try_from(row.saturating_add(1)).unwrap_or(u32::MAX))
            .unwrap_or_default()
    };
    area.rows()
        .map(|(row, _)| ADVANCE * line(row).chars().count() as f32)
        .fold(0.0, f32::max)
}

/// Returns the left edge of the text.
pub fn text_left(area: &ListArea, text: &SourceText) -> f32 {
    number_end(area, text) + 18.0
}

fn number_end(area: &ListArea, text: &SourceText) -> f32 {
    let digits = text.lines.len().to_string().len().max(3);
    area.body.left() + 14.0 + 6.9 * digits as f32
}

/// Draws the triangle of the position; it is hollow if the line is that of a surrounding call.
fn current_mark(frame: &SourceRows<'_, '_>, rect: Rect) {
    let tok = frame.cx.tok;
    let color = frame
        .view
        .follow()
        .and_then(|follow| frame.cx.desk.windows.shown(follow))
        .map_or(tok.t2, |window| tok.position(window.id.0));
    let (left, y) = (rect.left(), rect.center().y.round());
    let pen = &frame.pen;
    pen.triangle(
        [
            pos2(left, y - 6.0),
            pos2(left + 8.0, y),
            pos2(left, y + 6.0),
        ],
        color,
    );
    if matches!(frame.view.here(), Some((PositionSource::Call { .. }, _))) {
        pen.triangle(
            [
                pos2(left, y - 3.0),
                pos2(left + 4.0, y),
                pos2(left, y + 3.0),
            ],
            frame.cx.tok.sel,
        );
    }
}

/// Draws the line number. Lines with code have a bar, filled if the trace reaches them, and link to
/// their executions.
fn number_ui(
    ui: &Ui,
    rect: Rect,
    at: LineText<'_>,
    frame: &SourceRows<'_, '_>,
    touched: &mut RowInput,
) {
    let LineText {
        place,
        line,
        number_end: end,
        ..
    } = at;
    let SourceRows {
        pen,
        cx,
        view,
        source,
        ..
    } = frame;
    let is_current = view.is_here(line, &source.file);
    let (tok, y) = (cx.tok, rect.center().y);
    let has_code = source.file.has_code(line);
    let font = if is_current {
        mono_bold(11.5)
    } else {
        mono(11.5)
    };
    if !has_code {
        pen.text_left_of(end, y, line, font, tok.t3);
        return;
    }
    let bar = Rect::from_min_size(
        pos2(end + 4.0, rect.top() + 2.0),
        vec2(3.0, rect.height() - 4.0),
    );
    match source.executed.contains(&line) {
        true => pen.fill(bar, tok.done),
        false => pen.frame(bar, 0, tok.ctl),
    }
    let touch = Rect::from_min_max(rect.min, pos2(end + 8.0, rect.bottom()));
    let response = button_response(
        ui,
        touch,
        ("line", line),
        &say!("source-next-execution-of", line = line.to_string()),
    );
    let color = if is_current { tok.t1 } else { tok.t2 };
    let start = pen.text_left_of(
        end,
        y,
        line,
        font,
        if response.hovered() {
            tok.accent
        } else {
            color
        },
    );
    if response.hovered() {
        pen.line_across(start, end, y + 7.0, tok.accent);
        ui.set_cursor_icon(egui::CursorIcon::PointingHand);
    }
    if response.clicked() {
        let is_shift = ui.input(|input| input.modifiers.shift);
        touched.gesture(
            place,
            if is_shift {
                RowGesture::GoOn
            } else {
                RowGesture::Go
            },
        );
    }
    let mut hint = say!("source-next-hint", line = line.to_string());
    if !source.executed.contains(&line) {
        let words = say!("source-which-the-trace-never-reaches");
        hint = format!("{hint}\n{}", so_far(&cx.desk.session, words));
    }
    response.on_hover_text(hint);
}

fn menu_ui(
    ui: &mut Ui,
    at: LineText<'_>,
    frame: &SourceRows<'_, '_>,
    requested: &mut PanelOutput<'_, RowInput>,
) {
    let LineText {
        place, line, words, ..
    } = at;
    let SourceRows {
        cx, view, source, ..
    } = frame;
    let tok = cx.tok;
    menu_head_ui(
        ui,
        tok,
        &say!("source-line-head", line = line.to_string()),
        "",
    );
    if source.file.has_code(line) {
        if MenuItem::new(say!("source-next-execution"))
            .icon(icons::STEP)
            .key("Enter")
            .ui(ui, tok)
        {
            requested.touched.gesture(place, RowGesture::Go);
        }
        if MenuItem::new(say!("source-previous-execution"))
            .icon(icons::STEP_BACK)
            .key("Shift+Enter")
            .ui(ui, tok)
        {
            requested.touched.gesture(place, RowGesture::GoOn);
        }
        menu_line_ui(ui, tok);
    }
    if MenuItem::new(say!("source-copy-place"))
        .icon(icons::COPY)
        .key("Ctrl+C")
        .ui(ui, tok)
    {
        requested.out.extend(
            view.copied(place)
                .map(|it| Action::App(AppAction::Copy(it))),
        );
    }
    if MenuItem::new(say!("source-copy-line")).ui(ui, tok) {
        requested
            .out
            .push(Action::App(AppAction::Copy(words.to_owned())));
    }
}
