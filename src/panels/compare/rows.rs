//! The rows of the comparison.

use std::collections::HashMap;

use egui::{Rect, Ui, pos2};
use stepback_parsers::Step;

use super::panel::WIDE;
use crate::action::{Access, Action, CellName, Way};
use crate::model::compare::{CompareRow, Pieces, WriterText, differing_pieces};
use crate::panels::ViewCx;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::panels::pen::{ADVANCE, INSET, Pen};
use crate::panels::row::{RowState, StepLink, button_response, row_background, row_response};
use crate::theme::{icon, icons, mono, semi, ui as ui_font};

/// Values longer than this are cut: a vector register would push all other columns away.
const LONGEST: usize = 32;

/// Where the columns are.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Name or address.
    pub cell: f32,
    /// The value before.
    pub before: f32,
    /// The value after.
    pub after: f32,
    /// The step and function that wrote it.
    pub writer: f32,
    /// Its instruction, in wide panels.
    pub instruction: Option<f32>,
    right: f32,
}

/// The title of a group of cells.
pub struct GroupTitle<'a> {
    pub title: &'a str,
    pub detail: &'a str,
    pub is_open: bool,
}

/// A value, the one that it is compared with, and what kind of cell has them.
pub struct Compared<'a> {
    pub text: &'a str,
    pub other: &'a str,
    pub is_register: bool,
}

impl Columns {
    /// The columns for these rows.
    pub fn new(rect: Rect, rows: &[CompareRow]) -> Self {
        let is_wide = rect.width() >= WIDE;
        let digits = |row: &CompareRow| match row {
            CompareRow::Cell { from, to, .. } => from.len().max(to.len()).min(LONGEST),
            CompareRow::Group { .. } => 0,
        };
        let label = |row: &CompareRow| match row {
            CompareRow::Cell { label, symbol, .. } => {
                label.len() + symbol.as_ref().filter(|_| is_wide).map_or(0, |symbol| symbol.len().min(24) + 1)
            }
            CompareRow::Group { .. } => 0,
        };
        let longest =
            |length: &dyn Fn(&CompareRow) -> usize| ADVANCE * rows.iter().map(length).max().unwrap_or(0) as f32;
        let value = longest(&digits).max(16.0 * ADVANCE) + INSET;
        let cell = rect.left() + INSET;
        let before = cell + (longest(&label) + INSET).max(if is_wide { 180.0 } else { 72.0 });
        let after = before + value;
        let writer = after + value;
        let instruction = is_wide.then_some(writer + 200.0);
        Self { cell, before, after, writer, instruction, right: rect.right() - INSET }
    }
}

/// What all rows of a frame share.
pub struct Table<'a> {
    /// Clipped to the list.
    pub pen: &'a Pen<'a>,
    /// The window's state.
    pub cx: &'a ViewCx<'a>,
    /// Where the columns are.
    pub columns: Columns,
    /// What is known of the steps that wrote something.
    pub writers: &'a HashMap<Step, WriterText>,
    /// The cell under the cursor.
    pub cursor: Option<&'a CellName>,
}

/// What was done to the rows in this frame.
#[derive(Debug, Default)]
pub struct Touched {
    /// The cell that was clicked.
    pub cursor: Option<CellName>,
    /// The title that was clicked.
    pub toggled: Option<String>,
}

impl Table<'_> {
    /// Draws a row.
    pub fn row_ui(&self, ui: &mut Ui, rect: Rect, row: &CompareRow, touched: &mut Touched, out: &mut Vec<Action>) {
        match row {
            CompareRow::Group { title, detail, is_open } => {
                self.group_ui(ui, rect, GroupTitle { title, detail, is_open: *is_open }, touched)
            }
            CompareRow::Cell { .. } => self.cell_ui(ui, rect, row, touched, out),
        }
    }

    fn group_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        GroupTitle { title, detail, is_open }: GroupTitle<'_>,
        touched: &mut Touched,
    ) {
        let (pen, tok, y) = (self.pen, self.cx.tok, rect.center().y);
        let verb = if is_open { "close" } else { "open" };
        let response = button_response(ui, rect, ("group", title), &format!("{verb} group {title}"));
        pen.fill(rect, if response.hovered() { tok.bg3 } else { tok.bg2 });
        let caret = if is_open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
        pen.text(rect.left() + INSET, y, caret, icon(10.0), tok.t2);
        let end = pen.text(rect.left() + 27.0, y, title, semi(12.0), tok.t1);
        if self.columns.instruction.is_some() {
            pen.text((end + INSET).max(self.columns.before), y, detail, ui_font(11.5), tok.t3);
        } else {
            pen.text_left_of(self.columns.right, y, detail, ui_font(11.5), tok.t3);
        }
        if response.clicked() {
            touched.toggled = Some(title.to_owned());
        }
    }

    fn cell_ui(&self, ui: &mut Ui, rect: Rect, row: &CompareRow, touched: &mut Touched, out: &mut Vec<Action>) {
        let CompareRow::Cell { cell, label, symbol, from, to, is_register, last_write } = row else { return };
        let (pen, tok, y) = (self.pen, self.cx.tok, rect.center().y);
        let response = row_response(ui, rect, ("cell", label), || format!("difference {label}"));
        let is_cursor = self.cursor == Some(cell);
        row_background(
            pen,
            rect,
            &response,
            RowState { is_selected: is_cursor, is_cursor, has_focus: self.cx.has_focus },
        );
        let label_color = if *is_register { tok.register } else { tok.t2 };
        let end = pen.code(self.columns.cell, y, label, label_color);
        if let Some(symbol) = symbol.as_ref().filter(|_| self.columns.instruction.is_some()) {
            pen.cut_text(pos2(end + ADVANCE, y), symbol, mono(12.5), tok.symbol, self.columns.before - 8.0);
        }
        self.value(self.columns.before, y, Compared { text: from, other: to, is_register: *is_register });
        self.value(self.columns.after, y, Compared { text: to, other: from, is_register: *is_register });
        if let Some(step) = last_write {
            self.writer_ui(ui, y, *step, out);
        } else {
            pen.label(self.columns.writer, y, "no step", tok.t3);
        }
        if response.clicked() || response.secondary_clicked() {
            touched.cursor = Some(cell.clone());
        }
        if let Some(step) = last_write.filter(|_| response.double_clicked()) {
            out.push(Action::Travel(self.cx.windows.active, step.after().0));
        }
        response.context_menu(|ui| self.menu(ui, row, out));
    }

    /// What differs is bold, what is equal steps back.
    fn value(&self, x: f32, y: f32, Compared { text, other, is_register }: Compared<'_>) {
        let tok = self.cx.tok;
        // The low digits of a long value are kept.
        let cut = |text: &str| match text.len().checked_sub(LONGEST) {
            Some(over) if over > 0 => text.get(over..).unwrap_or(text).to_owned(),
            _ => text.to_owned(),
        };
        let (text, other) = if is_register { (cut(text), cut(other)) } else { (text.to_owned(), other.to_owned()) };
        let mut x = x;
        for (piece, differs) in
            differing_pieces(&text, &other, if is_register { Pieces::Digits } else { Pieces::Bytes })
        {
            x = match () {
                () if piece.contains('?') => self.pen.code(x, y, piece, tok.unknown),
                () if differs => self.pen.strong_code(x, y, piece, tok.t1),
                () => self.pen.code(x, y, piece, tok.t3),
            };
        }
    }

    fn writer_ui(&self, ui: &Ui, y: f32, step: Step, out: &mut Vec<Action>) {
        let (pen, tok, columns) = (self.pen, self.cx.tok, &self.columns);
        let end =
            StepLink { step, trace: self.cx.trace, window: self.cx.windows.active }.ui(ui, pen, columns.writer, y, out);
        let Some(text) = self.writers.get(&step) else { return };
        let right = columns.instruction.map_or(columns.right, |x| x - INSET);
        pen.cut_text(pos2((columns.writer + 46.0).max(end + 8.0), y), &text.function, mono(12.5), tok.t2, right);
        if let Some(x) = columns.instruction {
            let mnemonic = pen.spans(x, y, std::slice::from_ref(&text.code.mnemonic), None);
            pen.spans((x + 6.0 * ADVANCE).max(mnemonic + ADVANCE), y, &text.code.operands, None);
        }
    }

    fn menu(&self, ui: &mut Ui, row: &CompareRow, out: &mut Vec<Action>) {
        let CompareRow::Cell { cell, label, from, to, last_write, .. } = row else { return };
        let tok = self.cx.tok;
        menu_head_ui(ui, tok, label, "");
        if let Some(step) = last_write {
            if MenuItem::new("Travel to its last write").icon(icons::LAST_WRITE).key("Double click").ui(ui, tok) {
                out.push(Action::Travel(self.cx.windows.active, step.after().0));
            }
            if MenuItem::new("Open window there").icon(icons::SIDE_BY_SIDE).ui(ui, tok) {
                out.push(Action::OpenWindowAt(self.cx.moment(step.after())));
            }
        }
        if MenuItem::new("Next write").icon(icons::NEXT_WRITE).key("Shift+Enter").ui(ui, tok) {
            out.push(Action::GoToAccess(cell.clone(), Access::Write, Way::Forward));
        }
        if let CellName::Memory(address, _) = cell
            && MenuItem::new("Show memory there").icon(icons::MEMORY).ui(ui, tok)
        {
            out.push(Action::ShowMemory(address.clone()));
        }
        menu_line_ui(ui, tok);
        for (text, value) in [("Copy value at the left", from), ("Copy value at the right", to)] {
            if MenuItem::new(text).ui(ui, tok) {
                out.push(Action::Copy(value.clone()));
            }
        }
        if MenuItem::new("Copy as text").icon(icons::COPY).ui(ui, tok) {
            out.push(Action::Copy(format!("{label}: {from} -> {to}")));
        }
    }
}
