//! The rows of a slice.

use egui::{Rect, Sense, Ui, pos2, vec2};

use super::columns::{Columns, INDENT};
use super::menu::{MenuOf, row_menu};
use crate::action::Action;
use crate::messages::say;
use crate::model::slice::{Caret, Slice, SliceLine, WhyRow};
use crate::model::text::thousands;
use crate::model::{Meaning, Span};
use crate::panels::ViewCx;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{RowState, row_background, row_response};
use crate::theme::{icon, icons, mono, ui as ui_font};

/// What all rows of a frame share.
pub struct SliceRows<'a> {
    /// Clipped to the list.
    pub pen: Pen<'a>,
    /// The window's state.
    pub cx: &'a ViewCx<'a>,
    /// Where the columns are.
    pub columns: Columns,
    /// The slice.
    pub slice: &'a Slice,
    /// The row under the cursor.
    pub cursor: usize,
}

/// What was done to a row in this frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deed {
    /// The cursor goes there.
    pub is_touched: bool,
    /// What it takes in is shown, or hidden.
    pub is_flipped: bool,
}

/// Goes to just behind the step, where what it gave shows.
pub fn travel(row: &WhyRow, cx: &ViewCx<'_>) -> Option<Action> {
    Some(Action::Travel(cx.windows.active, row.position()?.0))
}

impl SliceRows<'_> {
    /// Draws a row.
    pub fn row_ui(&self, ui: &Ui, rect: Rect, place: usize, line: &SliceLine, out: &mut Vec<Action>) -> Deed {
        let Some(row) = self.slice.rows.get(line.row) else { return Deed::default() };
        let response = row_response(ui, rect, ("why", place), || name(row));
        let at = self.cx.windows.active().position;
        let is_selected = row.step.is_some() && row.step == at.last_step();
        let state = RowState { is_selected, is_cursor: self.cursor == place, has_focus: self.cx.has_focus };
        row_background(&self.pen, rect, &response, state);
        let mut is_flipped = self.caret_ui(ui, rect, place, line);
        match row.step {
            Some(_) => self.step(rect, line, row),
            None => self.end(rect, line, row),
        }
        self.reason(rect, row);
        if response.middle_clicked() || (response.clicked() && ui.input(|input| input.modifiers.command)) {
            out.extend(row.position().map(|position| Action::OpenWindowAt(self.cx.moment(position))));
        } else if response.double_clicked() {
            out.extend(travel(row, self.cx));
            out.push(Action::Activate(self.cx.windows.active));
        } else if response.clicked() {
            out.extend(travel(row, self.cx));
        }
        let is_touched = response.clicked() || response.secondary_clicked();
        response.context_menu(|ui| is_flipped |= row_menu(ui, &MenuOf { row, line, slice: self.slice }, self.cx, out));
        response.on_hover_text(row.line());
        Deed { is_touched, is_flipped }
    }

    fn caret_ui(&self, ui: &Ui, rect: Rect, place: usize, line: &SliceLine) -> bool {
        let shape = match line.caret {
            Caret::None => return false,
            Caret::Open => icons::CARET_DOWN,
            Caret::Closed => icons::CARET_RIGHT,
        };
        let center = pos2(self.left(line) + 5.0, rect.center().y);
        let target = Rect::from_center_size(center, vec2(16.0, rect.height()));
        let response = ui.interact(target, ui.unique_id().with(("caret", place)), Sense::CLICK);
        let words = if line.caret == Caret::Open { say!("slice-close-row") } else { say!("slice-open-row") };
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, words));
        let color = if response.hovered() { self.pen.tok.t1 } else { self.pen.tok.t2 };
        self.pen.icon(center, shape, 10.0, color);
        response.clicked()
    }

    fn left(&self, line: &SliceLine) -> f32 {
        self.columns.step + INDENT * line.depth as f32
    }

    fn step(&self, rect: Rect, line: &SliceLine, row: &WhyRow) {
        let (pen, tok, columns, y) = (&self.pen, self.cx.tok, &self.columns, rect.center().y);
        let step = row.step.map(|step| thousands(step.0)).unwrap_or_default();
        pen.code(self.left(line) + 16.0, y, step, tok.accent);
        if let Some(x) = columns.thread {
            pen.code(x, y, &row.thread, tok.t2);
        }
        let cut = |left: f32, text: &str, color, right: f32| {
            pen.cut_text(pos2(left, y), text, mono(12.5), color, right - INSET / 2.0);
        };
        cut(columns.place, &row.place, tok.symbol, columns.code);
        pen.cut_spans(pos2(columns.code, y), &row.code, None, columns.gives - INSET / 2.0);
        pen.cut_spans(pos2(columns.gives, y), &gives(row), None, columns.reason - INSET / 2.0);
    }

    /// Where a chain ends stands over the columns of what a step would show.
    fn end(&self, rect: Rect, line: &SliceLine, row: &WhyRow) {
        let (pen, tok, columns, y) = (&self.pen, self.cx.tok, &self.columns, rect.center().y);
        pen.text(self.left(line) + 16.0, y, "─", mono(12.5), tok.t3);
        let left = pen.cut_spans(pos2(columns.place, y), &gives(row), None, columns.reason - INSET) + INSET;
        let words = row.end.as_deref().unwrap_or_default();
        pen.cut_text(pos2(left, y), words, ui_font(12.0), tok.t2, columns.reason - INSET / 2.0);
    }

    fn reason(&self, rect: Rect, row: &WhyRow) {
        let (pen, tok, y) = (&self.pen, self.cx.tok, rect.center().y);
        let mut left = self.columns.reason;
        if row.doubt.is_some() {
            left = pen.text(left, y, icons::WARNING, icon(12.0), tok.warn) + 4.0;
        }
        let words = match &row.doubt {
            Some(doubt) => format!("{doubt} · {}", row.reason),
            None => row.reason.clone(),
        };
        pen.cut_text(pos2(left, y), &words, ui_font(12.0), tok.t2, self.columns.right);
    }
}

fn name(row: &WhyRow) -> String {
    let cell = || row.gives.first().map(|given| given.label.clone()).unwrap_or_default();
    match row.step {
        Some(step) => say!("slice-row", step = step.0),
        None => say!("slice-row-end", cell = cell()),
    }
}

/// What a step gave, in colours: `x2 = bfb1e598a4e5bda9`.
fn gives(row: &WhyRow) -> Vec<Span> {
    let mut spans = Vec::new();
    for given in &row.gives {
        if !spans.is_empty() {
            spans.push(Span::new(Meaning::Plain, "  "));
        }
        let meaning = if given.label.starts_with('[') { Meaning::Write } else { Meaning::Register };
        spans.push(Span::new(meaning, given.label.as_str()));
        match &given.value {
            Some(value) => {
                spans.push(Span::new(Meaning::Punctuation, " = "));
                spans.push(Span::new(Meaning::Plain, value.as_str()));
            }
            None if row.end.is_none() => spans.push(Span::new(Meaning::Unknown, " = ?")),
            None => {}
        }
    }
    spans
}
