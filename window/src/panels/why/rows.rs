//! The lines of a slice.

use egui::{Rect, Response, Sense, Ui, pos2, vec2};
use stepback_debugger::action::{Action, PanelAction};
use stepback_debugger::analysis::slice::{FoldState, ReadingLine};
use stepback_debugger::messages::say;
use stepback_debugger::model::slice::{Slice, SliceLineContent, SliceListRow, because};
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::{TextRole, TextSpan};
use stepback_debugger::views::{RowGesture, WhyView};

use super::menu::{SliceMenuRow, row_menu};
use crate::panels::cursor_list::RowInput;
use crate::panels::menu::context_menu;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{RowState, row_background, row_response};
use crate::panels::why::panel::{CARET, INDENT, SliceColumns};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{icon, icons, mono, ui as ui_font};

/// Painter of the lines, for one frame.
pub struct SliceRows<'a> {
    /// Clipped to the list.
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub columns: SliceColumns,
    pub why: &'a WhyView,
    pub slice: &'a Slice,
    /// Line under the cursor.
    pub cursor: usize,
}

/// A line and its rectangle.
struct SliceLinePaint<'a> {
    line: &'a ReadingLine,
    stated: SliceLineContent<'a>,
    rect: Rect,
}

impl SliceRows<'_> {
    /// Draws a line, or the row after the last.
    pub fn row_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        place: usize,
        touched: &mut RowInput,
        out: &mut Vec<Action>,
    ) {
        let Some((line, stated)) = self.why.stated(place) else {
            return self.more_ui(ui, rect, place, touched);
        };
        let drawn = SliceLinePaint { line, stated, rect };
        let response = row_response(ui, rect, ("why", place), || name(&drawn.stated));
        let is_selected = self.why.is_here(place, self.cx.desk);
        self.background(
            rect,
            &response,
            RowState {
                is_selected,
                is_cursor: self.cursor == place,
                has_focus: false,
            },
        );
        self.caret_ui(ui, place, &drawn, touched);
        self.paint(&drawn);
        if response.clicked() || response.secondary_clicked() {
            touched.cursor = Some(place);
        }
        let (row, is_elsewhere) = (
            drawn.stated.row(),
            response.clicked() && ui.input(|input| input.modifiers.command),
        );
        if let Some(row) = row.filter(|_| response.middle_clicked() || is_elsewhere) {
            let window =
                |position| Action::Panel(PanelAction::OpenWindowAt(self.cx.moment(position)));
            out.extend(row.position().map(window));
        } else if response.clicked() {
            touched.gesture(place, RowGesture::Go);
        }
        if row.is_some() && response.double_clicked() {
            out.push(Action::Panel(PanelAction::Activate(
                self.cx.desk.windows.active,
            )));
        }
        let Some(row) = row else { return };
        context_menu(&response, |ui| {
            if row_menu(
                ui,
                &SliceMenuRow {
                    row,
                    line,
                    slice: self.slice,
                },
                self.cx,
                out,
            ) {
                touched.gesture(place, flip_of(line));
            }
        });
        response.on_hover_ui(|ui| {
            tip_ui(ui, &drawn.stated, self.slice);
            hover_of(row).iter().for_each(|hover| hover.line_ui(ui));
        });
    }

    fn background(&self, rect: Rect, response: &Response, state: RowState) {
        row_background(
            &self.pen,
            rect,
            response,
            RowState {
                has_focus: self.cx.has_focus,
                ..state
            },
        );
    }

    fn more_ui(&self, ui: &Ui, rect: Rect, place: usize, touched: &mut RowInput) {
        let words = self.why.more().unwrap_or_default();
        let response = row_response(ui, rect, "more", || {
            words.trim_start_matches("… ").to_owned()
        });
        self.background(
            rect,
            &response,
            RowState {
                is_cursor: self.cursor == place,
                ..RowState::default()
            },
        );
        self.pen.text(
            rect.left() + INSET,
            rect.center().y,
            words,
            ui_font(11.5),
            self.cx.tok.accent,
        );
        if response.clicked() {
            touched.gesture(place, RowGesture::Go);
        }
    }

    fn caret_ui(&self, ui: &Ui, place: usize, drawn: &SliceLinePaint<'_>, touched: &mut RowInput) {
        let (shape, words) = match drawn.line.fold {
            FoldState::Leaf => return,
            FoldState::Open(_) => (icons::CARET_DOWN, say!("slice-close-row")),
            FoldState::Folded(_) => (icons::CARET_RIGHT, say!("slice-open-row")),
        };
        let center = pos2(self.left(drawn.line) + 5.0, drawn.rect.center().y);
        let target = Rect::from_center_size(center, vec2(16.0, drawn.rect.height()));
        let response = ui.interact(target, ui.unique_id().with(("caret", place)), Sense::CLICK);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, words));
        let color = if response.hovered() {
            self.pen.tok.t1
        } else {
            self.pen.tok.t2
        };
        self.pen.icon(center, shape, 10.0, color);
        if response.on_hover_text(words).clicked() {
            touched.gesture(place, flip_of(drawn.line));
        }
    }

    fn left(&self, line: &ReadingLine) -> f32 {
        self.columns.step + INDENT * f32::from(line.depth)
    }

    fn paint(&self, drawn: &SliceLinePaint<'_>) {
        let (pen, tok, columns, y) = (&self.pen, self.cx.tok, &self.columns, drawn.rect.center().y);
        let left = self.left(drawn.line) + CARET;
        let Some(row) = drawn.stated.row() else {
            pen.cut_text(
                pos2(left, y),
                &drawn.stated.text(),
                mono(12.5),
                tok.symbol,
                columns.right,
            );
            return;
        };
        let dash = || "─".to_owned();
        let step = row.step.map_or_else(dash, |step| thousands(step.0));
        pen.code(
            left,
            y,
            step,
            if row.step.is_some() {
                tok.accent
            } else {
                tok.t3
            },
        );
        if let Some(x) = columns.thread {
            pen.code(x, y, &row.thread, tok.t2);
        }
        if columns.place < columns.code {
            pen.cut_text(
                pos2(columns.place, y),
                row.place_in(self.why.view()),
                mono(12.5),
                tok.symbol,
                columns.code - INSET / 2.0,
            );
        }
        match &drawn.stated {
            SliceLineContent::Call(_) => {}
            SliceLineContent::Line { words, .. } => {
                self.formula(y, &drawn.stated.text(), &words.value, tok.t1)
            }
            SliceLineContent::Repeated(_, words) => {
                self.formula(y, &drawn.stated.text(), &words.value, tok.t3)
            }
            SliceLineContent::SingleStep(row, _) => {
                pen.cut_spans(
                    pos2(columns.code, y),
                    &row.code,
                    None,
                    columns.value - INSET / 2.0,
                );
                pen.cut_spans(
                    pos2(columns.value, y),
                    &gives(row),
                    None,
                    columns.value_right(),
                );
            }
            SliceLineContent::End(row) => {
                return self.end(y, row, &because(&drawn.stated, self.slice));
            }
            SliceLineContent::LoopIterations(..) => {
                self.formula(y, &drawn.stated.text(), "", tok.t3)
            }
        }
        self.reason(y, row, &because(&drawn.stated, self.slice), columns.reason);
    }

    fn formula(&self, y: f32, text: &str, value: &str, color: egui::Color32) {
        let (pen, columns) = (&self.pen, &self.columns);
        pen.cut_text(
            pos2(columns.code, y),
            text,
            mono(12.5),
            color,
            columns.value - INSET / 2.0,
        );
        let number = self.cx.tok.number;
        pen.cut_text(
            pos2(columns.value, y),
            value,
            mono(12.5),
            number,
            columns.value_right(),
        );
    }

    /// Draws the end of a chain across the columns that a step would fill, and into the free part of
    /// the column of the reason.
    fn end(&self, y: f32, row: &SliceListRow, reason: &str) {
        let (pen, tok, columns) = (&self.pen, self.cx.tok, &self.columns);
        let right = match (reason, row.doubt.is_some()) {
            ("", false) => columns.right,
            _ => {
                let sign = if row.doubt.is_some() { 16.0 } else { 0.0 };
                let needed = pen.width(reason, ui_font(12.0)) + sign + INSET;
                columns.value_right().max(columns.right - needed)
            }
        };
        let left = pen.cut_spans(pos2(columns.place, y), &gives(row), None, right) + INSET;
        let words = row.end.as_deref().unwrap_or_default();
        let end = pen.cut_text(pos2(left, y), words, ui_font(12.0), tok.t2, right);
        self.reason(y, row, reason, columns.reason.max(end + INSET));
    }

    fn reason(&self, y: f32, row: &SliceListRow, words: &str, mut left: f32) {
        let (pen, tok) = (&self.pen, self.cx.tok);
        if left >= self.columns.right {
            return;
        }
        if row.doubt.is_some() {
            left = pen.text(left, y, icons::WARNING, icon(12.0), tok.warn) + 4.0;
        }
        pen.cut_text(
            pos2(left, y),
            words,
            ui_font(12.0),
            tok.t2,
            self.columns.right,
        );
    }
}

/// Returns the gesture that opens or closes a line.
fn flip_of(line: &ReadingLine) -> RowGesture {
    if matches!(line.fold, FoldState::Open(_)) {
        RowGesture::Close
    } else {
        RowGesture::Open
    }
}

fn name(stated: &SliceLineContent<'_>) -> String {
    let Some(row) = stated.row() else {
        return stated.text();
    };
    let cell = || {
        row.gives
            .first()
            .map(|given| given.label.clone())
            .unwrap_or_default()
    };
    match row.step {
        Some(step) => say!("slice-row", step = step.0),
        None => say!("slice-row-end", cell = cell()),
    }
}

/// Shows the full text of a line in a tooltip.
fn tip_ui(ui: &mut Ui, stated: &SliceLineContent<'_>, slice: &Slice) {
    let code = stated.text();
    let value = stated.value();
    let place = stated
        .row()
        .map(|row| row.place.clone())
        .unwrap_or_default();
    let lines = [place, code, value, because(stated, slice)];
    ui.label(
        lines
            .into_iter()
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("\n"),
    );
}

/// Returns the result of a line, at its position.
fn hover_of(row: &SliceListRow) -> Option<HoverCell> {
    Some(HoverCell {
        cell: row.gives.first()?.cell.clone(),
        at: row.position()?,
    })
}

/// Returns the results of a step in colours: `x2 = bfb1e598a4e5bda9`.
fn gives(row: &SliceListRow) -> Vec<TextSpan> {
    let mut spans = Vec::new();
    for given in &row.gives {
        if !spans.is_empty() {
            spans.push(TextSpan::new(TextRole::Plain, "  "));
        }
        let meaning = if given.label.starts_with('[') {
            TextRole::Write
        } else {
            TextRole::Register
        };
        spans.push(TextSpan::new(meaning, given.label.as_str()));
        match &given.value {
            Some(value) => {
                spans.push(TextSpan::new(TextRole::Punctuation, " = "));
                spans.push(TextSpan::new(TextRole::Plain, value.as_str()));
            }
            None if row.end.is_none() => spans.push(TextSpan::new(TextRole::Unknown, " = ?")),
            None => {}
        }
    }
    spans
}
