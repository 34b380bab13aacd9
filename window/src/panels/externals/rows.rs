//! The rows of the list of external changes.

use egui::{Rect, Ui, pos2};

use crate::panels::ViewCx;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::panels::pen::{ADVANCE, INSET, Pen};
use crate::panels::row::{RowState, row_background, row_response};
use crate::panels::sort::Head;
use crate::theme::{icons, mono};
use stepback_debugger::action::{Action, AppAction, PanelAction, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::externals::ExternalRow;
use stepback_debugger::model::text::thousands;

/// Where the columns are.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    step: f32,
    thread: Option<f32>,
    address: f32,
    was: f32,
    read: f32,
    place: f32,
    right: f32,
}

/// A change and its place in the list.
pub struct RowAt<'a> {
    pub place: usize,
    pub row: &'a ExternalRow,
}

impl Columns {
    /// The columns for these rows.
    pub fn new(list: Rect, rows: &[ExternalRow], threads: usize) -> Self {
        let has_threads = threads > 1;
        let longest =
            |length: &dyn Fn(&ExternalRow) -> usize| ADVANCE * rows.iter().map(length).max().unwrap_or(0) as f32;
        let step = list.left() + INSET;
        let after_step = step + longest(&|row| thousands(row.step.0).len()).max(48.0) + INSET;
        let thread = has_threads.then_some(after_step);
        let address = after_step + if has_threads { longest(&|row| row.thread.len()) + INSET } else { 0.0 };
        let was = address + longest(&|row| format!("{:08x}", row.address.0).len()) + INSET;
        let width = longest(&|row| 3 * row.bytes.len()).max(40.0) + INSET;
        Self { step, thread, address, was, read: was + width, place: was + 2.0 * width, right: list.right() - 8.0 }
    }

    /// Their heads, in the order of [`key`].
    pub fn heads(&self) -> Vec<Head<'static>> {
        let mut heads = vec![
            Head { left: self.step, name: say!("externals-step") },
            Head { left: self.address, name: say!("externals-address") },
            Head { left: self.was, name: say!("externals-was") },
            Head { left: self.read, name: say!("externals-read") },
            Head { left: self.place, name: say!("externals-symbol") },
        ];
        heads.extend(self.thread.map(|left| Head { left, name: say!("externals-thread") }));
        heads
    }
}

/// By what rows are put in order: a number, else a text.
pub fn key(row: &ExternalRow, column: usize) -> (u64, String) {
    match column {
        0 => (row.position.0, String::new()),
        1 => (row.address.0, String::new()),
        2 => (0, row.was_text()),
        3 => (0, row.read_text()),
        4 => (0, row.place.clone().unwrap_or_default()),
        _ => (0, row.thread.clone()),
    }
}

/// The texts of a row, under the heads step, thread, address, was, read, symbol.
pub fn texts(row: &ExternalRow) -> Vec<String> {
    let (step, address) = (row.step.0.to_string(), format!("{:08x}", row.address.0));
    vec![step, row.thread.clone(), address, row.was_text(), row.read_text(), row.place.clone().unwrap_or_default()]
}

/// What all rows of a frame share.
pub struct ChangeRows<'a> {
    /// Clipped to the list.
    pub pen: Pen<'a>,
    /// The window's state.
    pub cx: &'a ViewCx<'a>,
    /// Where the columns are.
    pub columns: Columns,
    /// The row under the cursor.
    pub cursor: usize,
}

/// What was done to the rows in this frame.
#[derive(Debug, Default)]
pub struct Touched {
    /// The row that was clicked.
    pub cursor: Option<usize>,
}

/// Goes to just after the read, where the new bytes show.
pub fn travel(row: &ExternalRow, cx: &ViewCx<'_>) -> Action {
    Action::travel(cx.desk.windows.active, row.position)
}

impl ChangeRows<'_> {
    /// Draws a row.
    pub fn row_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        RowAt { place, row }: RowAt<'_>,
        touched: &mut Touched,
        out: &mut Vec<Action>,
    ) {
        let (pen, tok, columns, y) = (&self.pen, self.cx.tok, &self.columns, rect.center().y);
        let response = row_response(ui, rect, ("change", place), || say!("externals-row", step = row.step.0));
        let is_selected = self.cx.desk.windows.active().position == row.position;
        let state = RowState { is_selected, is_cursor: self.cursor == place, has_focus: self.cx.has_focus };
        row_background(pen, rect, &response, state);
        pen.code(columns.step, y, thousands(row.step.0), tok.accent);
        if let Some(x) = columns.thread {
            pen.code(x, y, &row.thread, tok.t2);
        }
        pen.code(columns.address, y, format!("{:08x}", row.address.0), tok.t2);
        self.bytes(y, row);
        if let Some(name) = &row.place {
            pen.cut_text(pos2(columns.place, y), name, mono(12.5), tok.symbol, columns.right);
        }
        if response.clicked() || response.secondary_clicked() {
            touched.cursor = Some(place);
        }
        if response.middle_clicked() || (response.clicked() && ui.input(|input| input.modifiers.command)) {
            out.push(Action::Panel(PanelAction::OpenWindowAt(self.cx.moment(row.position))));
        } else if response.double_clicked() {
            out.push(Action::View(ViewAction::ShowMemory(row.address.to_string())));
        } else if response.clicked() {
            out.push(travel(row, self.cx));
        }
        response.context_menu(|ui| self.menu(ui, row, out));
    }

    /// What differs stands out; what was confirmed steps back.
    fn bytes(&self, y: f32, row: &ExternalRow) {
        let (pen, tok, columns) = (&self.pen, self.cx.tok, &self.columns);
        for (place, (was, read)) in row.bytes.iter().enumerate() {
            let x = 3.0 * ADVANCE * place as f32;
            match was {
                Some(was) if was == read => {
                    pen.code(columns.was + x, y, format!("{was:02x}"), tok.t3);
                    pen.code(columns.read + x, y, format!("{read:02x}"), tok.t3);
                }
                Some(was) => {
                    pen.code(columns.was + x, y, format!("{was:02x}"), tok.t1);
                    pen.strong_code(columns.read + x, y, format!("{read:02x}"), tok.external);
                }
                None => {
                    pen.code(columns.was + x, y, "??", tok.unknown);
                    pen.code(columns.read + x, y, format!("{read:02x}"), tok.t2);
                }
            }
        }
    }

    fn menu(&self, ui: &mut Ui, row: &ExternalRow, out: &mut Vec<Action>) {
        let tok = self.cx.tok;
        menu_head_ui(ui, tok, &format!("{:x}", row.address.0), &row.read_text());
        if MenuItem::new(say!("externals-travel-to-the-read")).icon(icons::GO_TO).key("Enter").ui(ui, tok) {
            out.push(travel(row, self.cx));
        }
        if MenuItem::new(say!("externals-show-memory-there")).icon(icons::MEMORY).key("M").ui(ui, tok) {
            out.extend([travel(row, self.cx), Action::View(ViewAction::ShowMemory(row.address.to_string()))]);
        }
        if MenuItem::new(say!("externals-open-window-there")).icon(icons::SIDE_BY_SIDE).key("Ctrl+click").ui(ui, tok) {
            out.push(Action::Panel(PanelAction::OpenWindowAt(self.cx.moment(row.position))));
        }
        menu_line_ui(ui, tok);
        if MenuItem::new(say!("externals-copy")).icon(icons::COPY).key("Ctrl+C").ui(ui, tok) {
            out.push(Action::App(AppAction::Copy(row.line())));
        }
    }
}
