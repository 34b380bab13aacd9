//! The raw text of the trace, line by line, with its bar and its syntax colours.

use egui::{Pos2, Rect, Ui, pos2};
use stepback_debugger::action::{Action, AppAction, PanelAction, ViewAction};
use stepback_debugger::desk::BlockItem;
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::scroll::{Scroll, Viewport};
use stepback_debugger::model::span::{RawTokenKind, runs};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::RawTextView;
use stepback_index::query::RawLine;
use stepback_parsers::{Position, Step};

use crate::panels::PanelContext;
use crate::panels::list::{List, ListArea};
use crate::panels::menu::{MenuItem, context_menu, menu_head_ui, menu_line_ui};
use crate::panels::pen::{ADVANCE, INSET, Pen, ROW};
use crate::panels::row::{
    EmptyMessage, RowState, button_response, empty_ui, error_ui, row_background, row_response,
};
use crate::panels::trace::menu::TraceContext;
use crate::theme::{icon, icons, mono, ui as ui_font};

/// Lines around the position that stay in view.
const MARGIN: u64 = 3;

/// The lines of one window.
#[derive(Debug, Default)]
pub struct RawList {
    scroll: Scroll,
    view: RawTextView,
    revealed: Option<Position>,
}

/// Pen and number of lines.
pub struct RawPaint<'a> {
    pub pen: &'a Pen<'a>,
    pub lines: u64,
}

/// Inputs of a line.
pub struct LinePaint<'a> {
    pub pen: &'a Pen<'a>,
    pub number_end: f32,
    pub rect: Rect,
    pub tone: LineTone,
}

/// Position after a line, and the actions.
pub struct LineTarget<'a> {
    pub after: u64,
    pub out: &'a mut Vec<Action>,
}

impl RawList {
    /// Draws the lines.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        cx: &PanelContext<'_>,
        window: &TraceWindow,
        out: &mut Vec<Action>,
    ) {
        let lines = cx.desk.session.index.info().lines;
        if lines == 0 {
            let words = EmptyMessage(say!("raw-no-text"), say!("raw-no-text-advice"));
            return empty_ui(ui, &Pen::new(ui, rect, cx.tok), rect, icons::FILE, words);
        }
        let rect = Rect::from_min_max(pos2(rect.left(), rect.top() + 2.0), rect.max);
        self.follow(rect, lines, cx, window);
        let list = List {
            rows: lines + 1,
            ticks: &[],
            has_lasting_bar: true,
        };
        let area = list.ui(ui, rect, &mut self.scroll, cx.tok);
        self.view.fetch(area.range(), None, cx.desk);
        let pen = Pen::new(ui, area.body, cx.tok);
        self.rows_ui(
            ui,
            &area,
            RawPaint { pen: &pen, lines },
            TraceContext { cx, window },
            out,
        );
    }

    /// Scrolls to the position when it moved.
    fn follow(&mut self, rect: Rect, lines: u64, cx: &PanelContext<'_>, window: &TraceWindow) {
        let gap = self.view.poll_gap(window, cx.desk);
        if let Some(gap) = gap.filter(|_| self.revealed != Some(window.position)) {
            let view = Viewport {
                rows: lines + 1,
                height: rect.height(),
                row_height: ROW,
            };
            self.scroll.reveal_gap(gap, MARGIN, &view);
            self.revealed = Some(window.position);
        }
    }

    fn rows_ui(
        &self,
        ui: &mut Ui,
        area: &ListArea,
        RawPaint { pen, lines }: RawPaint<'_>,
        TraceContext { cx, window }: TraceContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let number_end =
            area.body.left() + (12.0 + 6.9 * thousands(lines).chars().count() as f32).max(58.0);
        pen.line_down(
            number_end + 6.0,
            area.body.top(),
            area.body.bottom(),
            cx.tok.line,
        );
        let mut gap = None;
        let mut was_before = None;
        for (row, rect) in area.rows() {
            let line = match self.view.row(row) {
                BlockItem::Known(line) => line,
                BlockItem::Failed(error) if row < lines => {
                    return error_ui(ui, pen, area.body, error, out);
                }
                BlockItem::Loading | BlockItem::Failed(_) => {
                    if row >= lines && was_before == Some(true) {
                        gap = gap.or(Some(rect.top()));
                    }
                    continue;
                }
            };
            // Lines before the first step belong to the past of position 0.
            let is_before = line.step.is_none_or(|step| step.before() < window.position);
            if !is_before && (was_before == Some(true) || row == 0) {
                gap = gap.or(Some(rect.top()));
            }
            was_before = Some(is_before);
            // A line is the first of its step if the line above belongs to another step.
            let above = row.checked_sub(1).and_then(|above| self.view.line(above));
            let is_first = line.step.is_some() && above.is_none_or(|above| above.step != line.step);
            let tone = if is_first {
                LineTone::Step
            } else {
                LineTone::Effect
            };
            line_ui(
                ui,
                line,
                LinePaint {
                    pen,
                    number_end,
                    rect,
                    tone,
                },
                TraceContext { cx, window },
                out,
            );
        }
        if let Some(y) = gap {
            let color = cx.tok.position(window.id.0);
            let (left, y) = (area.body.left(), y.round());
            pen.fill(
                Rect::from_min_max(pos2(left, y - 1.0), pos2(area.body.right(), y + 1.0)),
                color,
            );
            pen.triangle(
                [
                    pos2(left, y - 6.0),
                    pos2(left + 8.0, y),
                    pos2(left, y + 6.0),
                ],
                color,
            );
        }
    }
}

fn line_ui(
    ui: &Ui,
    line: &RawLine,
    LinePaint {
        pen,
        number_end,
        rect,
        tone,
    }: LinePaint<'_>,
    TraceContext { cx, window }: TraceContext<'_>,
    out: &mut Vec<Action>,
) {
    let number = line.line.0;
    let response = row_response(ui, rect, ("line", number), || {
        say!("trace-line", number = number.to_string())
    });
    let is_done = line.step.is_some() && line.step == window.position.last_step();
    row_background(
        pen,
        rect,
        &response,
        RowState {
            is_selected: is_done,
            is_cursor: false,
            has_focus: true,
        },
    );
    let color = if is_done { cx.tok.t1 } else { cx.tok.t3 };
    pen.text_left_of(
        number_end,
        rect.center().y,
        thousands(number),
        mono(11.5),
        color,
    );
    // Tabs and control characters of the trace must not break the row.
    let text: String = line
        .text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    words_ui(
        pen,
        pos2(number_end + 14.0, rect.center().y),
        &text,
        tone,
        rect.right() - 4.0,
    );
    let after = line.step.map_or(0, |step| step.after().0);
    if response.middle_clicked()
        || (response.clicked() && ui.input(|input| input.modifiers.command))
    {
        out.push(Action::Panel(PanelAction::OpenWindowAt(
            cx.moment(Position(after)),
        )));
    } else if response.clicked() {
        out.push(Action::travel(window.id, Position(after)));
    }
    context_menu(&response, |ui| {
        let target = LineTarget { after, out };
        line_menu(ui, line, cx, window, target);
    });
}

fn line_menu(
    ui: &mut Ui,
    line: &RawLine,
    cx: &PanelContext<'_>,
    window: &TraceWindow,
    LineTarget { after, out }: LineTarget<'_>,
) {
    let step = line.step.map_or(
        say!("trace-before-the-first-step").to_owned(),
        |Step(step)| say!("trace-of-step", step = step),
    );
    menu_head_ui(
        ui,
        cx.tok,
        &say!("trace-line-head", line = line.line.0),
        &step,
    );
    if MenuItem::new(say!("trace-travel-here"))
        .icon(icons::GO_TO)
        .key("Click")
        .ui(ui, cx.tok)
    {
        out.push(Action::travel(window.id, Position(after)));
    }
    if MenuItem::new(say!("trace-open-window-here"))
        .icon(icons::SIDE_BY_SIDE)
        .key("Ctrl+click")
        .ui(ui, cx.tok)
    {
        out.push(Action::Panel(PanelAction::OpenWindowAt(
            cx.moment(Position(after)),
        )));
    }
    menu_line_ui(ui, cx.tok);
    if MenuItem::new(say!("trace-copy-line"))
        .icon(icons::COPY)
        .ui(ui, cx.tok)
    {
        out.push(Action::App(AppAction::Copy(line.text.clone())));
    }
    if MenuItem::new(say!("trace-copy-line-number")).ui(ui, cx.tok) {
        out.push(Action::App(AppAction::Copy(line.line.0.to_string())));
    }
}

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
