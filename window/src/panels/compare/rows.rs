//! The rows of the comparison.

use egui::{Rect, RichText, Ui, pos2};
use stepback_debugger::action::{
    Access, Action, AppAction, CellName, Direction, PanelAction, SliceAction, TravelAction,
    ViewAction,
};
use stepback_debugger::messages::say;
use stepback_debugger::model::compare::{
    CellMeaning, CompareRow, ComparisonUnit, PositionPair, differing_pieces,
};
use stepback_debugger::views::{
    CompareSide, CompareView, CompareWidths, PanelView, RowGesture, low_end,
};
use stepback_parsers::Step;

use super::panel::WIDE;
use crate::panels::cursor_list::RowInput;
use crate::panels::menu::{MenuItem, context_menu, menu_head_ui, menu_line_ui};
use crate::panels::pen::{ADVANCE, INSET, Pen};
use crate::panels::row::{RowState, StepLink, button_response, row_background, row_response};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{icon, icons, mono, semi, ui as ui_font};

const WRITER: f32 = 200.0;
const INSTRUCTION: f32 = 236.0;
const SOURCE: f32 = 150.0;
const WRITES: f32 = 116.0;

/// Column positions.
#[derive(Clone, Copy, Debug)]
pub struct CompareColumns {
    /// Name or address.
    pub cell: f32,
    /// Value before.
    pub before: f32,
    /// Value after.
    pub after: f32,
    /// Interpretation of the value, if there is room.
    pub meaning: Option<f32>,
    /// Step and function of the last write.
    pub writer: f32,
    /// Instruction of the last write, if there is room.
    pub instruction: Option<f32>,
    /// Source line of the last write, if there is room.
    pub source: Option<f32>,
    /// Number of writes: the right edge, if there is room.
    pub writes: Option<f32>,
    is_wide: bool,
    right: f32,
}

/// Title of a group of cells.
pub struct GroupTitle<'a> {
    pub title: &'a str,
    pub detail: &'a str,
    pub is_open: bool,
}

/// A value, the value on the other side, and the kind of cell.
pub struct ComparedValue<'a> {
    pub text: &'a str,
    pub other: &'a str,
    pub is_register: bool,
}

impl CompareColumns {
    /// Lays out the columns for texts of these widths. The most useful columns get their room
    /// first.
    pub fn new(rect: Rect, widths: CompareWidths) -> Self {
        let is_wide = rect.width() >= WIDE;
        let width = |characters: u16| ADVANCE * f32::from(characters) + INSET;
        let label = if is_wide {
            widths.label.max(widths.symbol)
        } else {
            widths.label
        };
        let cell = rect.left() + INSET;
        let before = cell + width(label).max(if is_wide { 130.0 } else { 72.0 });
        let value = width(widths.digits.max(16));
        let after = before + value;
        let mut room = rect.right() - INSET - (after + value) - WRITER;
        let mut fits = |width: f32| {
            let is_there = width <= room;
            room -= if is_there { width } else { 0.0 };
            is_there.then_some(width)
        };
        let instruction = fits(INSTRUCTION);
        let meaning = fits(width(widths.meaning.max(9)) + INSET);
        let writes = fits(WRITES);
        let source = fits(SOURCE);
        let writer = after + value + meaning.unwrap_or_default();
        let instruction_at = writer + WRITER;
        Self {
            cell,
            before,
            after,
            meaning: meaning.map(|_| after + value),
            writer,
            instruction: instruction.map(|_| instruction_at),
            source: source.map(|_| instruction_at + instruction.unwrap_or_default()),
            writes: writes.map(|_| rect.right() - 2.0 * INSET),
            is_wide,
            right: rect.right() - INSET,
        }
    }

    /// Returns the right limit of the writer's function.
    fn writer_end(&self) -> f32 {
        self.instruction.map_or(self.right, |x| x - INSET)
    }

    /// Returns the right limit of the instruction.
    fn instruction_end(&self) -> f32 {
        self.source
            .or(self.writes.map(|x| x - WRITES + INSET))
            .map_or(self.right, |x| x - INSET)
    }
}

/// Painter of the rows, for one frame.
pub struct CompareRows<'a> {
    /// Clipped to the list.
    pub pen: &'a Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub columns: CompareColumns,
    /// The two positions.
    pub between: PositionPair,
    /// Rows, and answers about them.
    pub view: &'a CompareView,
    pub cursor: Option<&'a CellName>,
}

/// A row and its index in the list.
#[derive(Clone, Copy)]
pub struct CompareEntry<'a> {
    pub place: usize,
    pub row: &'a CompareRow,
}

/// Clicks on the rows in one frame.
#[derive(Debug, Default)]
pub struct CompareInput {
    pub touched: RowInput,
    /// Side of the clicked value.
    pub side: Option<CompareSide>,
}

impl CompareRows<'_> {
    /// Draws a row.
    pub fn row_ui(
        &self,
        ui: &mut Ui,
        rect: Rect,
        at: CompareEntry<'_>,
        touch: &mut CompareInput,
        out: &mut Vec<Action>,
    ) {
        match at.row {
            CompareRow::Group {
                title,
                detail,
                is_open,
            } => {
                if self.group_ui(
                    ui,
                    rect,
                    GroupTitle {
                        title,
                        detail,
                        is_open: *is_open,
                    },
                ) {
                    touch.touched.gesture(at.place, RowGesture::Go);
                }
            }
            CompareRow::Cell { .. } => self.cell_ui(ui, rect, at, touch, out),
        }
    }

    /// Draws the title of a group. Returns true if it was clicked.
    fn group_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        GroupTitle {
            title,
            detail,
            is_open,
        }: GroupTitle<'_>,
    ) -> bool {
        let (pen, tok, y) = (self.pen, self.cx.tok, rect.center().y);
        let response = button_response(
            ui,
            rect,
            ("group", title),
            &(if is_open {
                say!("compare-close-group", title = title)
            } else {
                say!("compare-open-group", title = title)
            }),
        );
        pen.fill(rect, if response.hovered() { tok.bg3 } else { tok.bg2 });
        let caret = if is_open {
            icons::CARET_DOWN
        } else {
            icons::CARET_RIGHT
        };
        pen.text(rect.left() + INSET, y, caret, icon(10.0), tok.t2);
        let end = pen.text(rect.left() + 27.0, y, title, semi(12.0), tok.t1);
        if self.columns.is_wide {
            pen.text(
                (end + INSET).max(self.columns.before),
                y,
                detail,
                ui_font(11.5),
                tok.t3,
            );
        } else {
            pen.text_left_of(self.columns.right, y, detail, ui_font(11.5), tok.t3);
        }
        response.clicked()
    }

    fn cell_ui(
        &self,
        ui: &mut Ui,
        rect: Rect,
        at: CompareEntry<'_>,
        touch: &mut CompareInput,
        out: &mut Vec<Action>,
    ) {
        let CompareRow::Cell {
            cell,
            label,
            symbol,
            from,
            to,
            meaning,
            is_register,
            last_write,
        } = at.row
        else {
            return;
        };
        let (pen, tok, y) = (self.pen, self.cx.tok, rect.center().y);
        let response = row_response(ui, rect, ("cell", label), || {
            say!("compare-difference", cell = label)
        });
        let is_cursor = self.cursor == Some(cell);
        row_background(
            pen,
            rect,
            &response,
            RowState {
                is_selected: is_cursor,
                is_cursor,
                has_focus: self.cx.has_focus,
            },
        );
        let label_color = if *is_register { tok.register } else { tok.t2 };
        let end = pen.code(self.columns.cell, y, label, label_color);
        if let Some(symbol) = symbol.as_ref().filter(|_| self.columns.is_wide) {
            pen.cut_text(
                pos2(end + ADVANCE, y),
                symbol,
                mono(12.5),
                tok.symbol,
                self.columns.before - 8.0,
            );
        }
        self.value(
            self.columns.before,
            y,
            ComparedValue {
                text: from,
                other: to,
                is_register: *is_register,
            },
        );
        self.value(
            self.columns.after,
            y,
            ComparedValue {
                text: to,
                other: from,
                is_register: *is_register,
            },
        );
        if let Some((x, meaning)) = self.columns.meaning.zip(meaning.as_ref()) {
            let color = if matches!(meaning, CellMeaning::Symbol(_)) {
                tok.symbol
            } else {
                tok.t2
            };
            pen.cut_text(
                pos2(x, y),
                meaning.text(),
                mono(12.5),
                color,
                self.columns.writer - INSET,
            );
        }
        if is_cursor {
            self.meant_ui(y, [from, to]);
        }
        let count = self.view.writes(cell).filter(|_| last_write.is_some());
        if let Some((x, count)) = self.columns.writes.zip(count) {
            pen.text_left_of(x, y, count.text(), mono(12.5), tok.t2);
        }
        if let Some(step) = last_write {
            self.writer_ui(ui, y, *step, out);
        } else {
            pen.label(self.columns.writer, y, say!("compare-no-step"), tok.t3);
        }
        if response.clicked() || response.secondary_clicked() {
            touch.touched.cursor = Some(at.place);
            touch.side = response
                .interact_pointer_pos()
                .and_then(|pointer| self.value_at(pointer.x));
        }
        if let Some(step) = last_write.filter(|_| response.double_clicked()) {
            out.push(Action::travel(self.cx.desk.windows.active, step.after()));
        }
        context_menu(&response, |ui| self.menu(ui, at, out));
        let pointed = response
            .hover_pos()
            .and_then(|pointer| self.value_at(pointer.x));
        if let Some(side) = pointed {
            let (text, at) = match side {
                CompareSide::Left => (from, self.between.from),
                CompareSide::Right => (to, self.between.to),
            };
            response.on_hover_ui_at_pointer(|ui| {
                ui.label(RichText::new(format!("{label} = {text}")).font(mono(12.0)));
                HoverCell {
                    cell: cell.clone(),
                    at,
                }
                .line_ui(ui);
            });
        }
    }

    /// Returns the side whose value column contains `x`; none outside of both columns.
    fn value_at(&self, x: f32) -> Option<CompareSide> {
        let CompareColumns {
            before,
            after,
            meaning,
            writer,
            ..
        } = self.columns;
        match () {
            () if x < before || x >= meaning.unwrap_or(writer) => None,
            () if x < after => Some(CompareSide::Left),
            () => Some(CompareSide::Right),
        }
    }

    /// Draws a frame around the value that queries refer to.
    fn meant_ui(&self, y: f32, [from, to]: [&String; 2]) {
        let (x, text) = match self.view.side() {
            CompareSide::Left => (self.columns.before, from),
            CompareSide::Right => (self.columns.after, to),
        };
        let color = if self.cx.has_focus {
            self.cx.tok.focus
        } else {
            self.cx.tok.line2
        };
        let wide = ADVANCE * low_end(text).len() as f32;
        self.pen.frame(
            Rect::from_min_max(pos2(x - 3.0, y - 8.0), pos2(x + wide + 3.0, y + 8.0)),
            2,
            color,
        );
    }

    /// Draws a value: differing digits are bold, equal ones pale.
    fn value(
        &self,
        x: f32,
        y: f32,
        ComparedValue {
            text,
            other,
            is_register,
        }: ComparedValue<'_>,
    ) {
        let tok = self.cx.tok;
        // The low digits of a long value are kept.
        let (text, other) = if is_register {
            (low_end(text), low_end(other))
        } else {
            (text, other)
        };
        let mut x = x;
        for (piece, differs) in differing_pieces(
            text,
            other,
            if is_register {
                ComparisonUnit::Digits
            } else {
                ComparisonUnit::Bytes
            },
        ) {
            x = match () {
                () if piece.contains('?') => self.pen.code(x, y, piece, tok.unknown),
                () if differs => self.pen.strong_code(x, y, piece, tok.t1),
                () => self.pen.code(x, y, piece, tok.t3),
            };
        }
    }

    fn writer_ui(&self, ui: &Ui, y: f32, step: Step, out: &mut Vec<Action>) {
        let (pen, tok, columns) = (self.pen, self.cx.tok, &self.columns);
        let link = StepLink {
            step,
            trace: self.cx.trace(),
            window: self.cx.desk.windows.active,
        };
        // Step numbers are aligned at their ends.
        let highest = self.cx.desk.session.index.step_count().saturating_sub(1);
        let room = StepLink {
            step: Step(highest),
            ..link
        }
        .width(pen);
        let end = link.ui(ui, pen, columns.writer + room - link.width(pen), y, out);
        let Some(text) = self.view.writer(step) else {
            return;
        };
        let function = pos2(end + 8.0, y);
        pen.cut_text(
            function,
            &text.function,
            mono(12.5),
            tok.t2,
            columns.writer_end(),
        );
        if let Some(x) = columns.instruction {
            let clip = Rect::everything_left_of(columns.instruction_end());
            let pen = Pen {
                painter: pen
                    .painter
                    .with_clip_rect(pen.painter.clip_rect().intersect(clip)),
                tok,
            };
            let mnemonic = pen.spans(x, y, std::slice::from_ref(&text.code.mnemonic), None);
            pen.spans(
                (x + 6.0 * ADVANCE).max(mnemonic + ADVANCE),
                y,
                &text.code.operands,
                None,
            );
        }
        if let Some((x, source)) = columns.source.zip(text.source.as_ref()) {
            let end = columns.writes.map_or(columns.right, |x| x - WRITES + INSET);
            pen.cut_text(pos2(x, y), source, mono(12.5), tok.t3, end);
        }
    }

    fn menu(
        &self,
        ui: &mut Ui,
        CompareEntry { place, row }: CompareEntry<'_>,
        out: &mut Vec<Action>,
    ) {
        let CompareRow::Cell {
            cell,
            label,
            from,
            to,
            last_write,
            meaning,
            ..
        } = row
        else {
            return;
        };
        let tok = self.cx.tok;
        menu_head_ui(ui, tok, label, "");
        if let Some(step) = last_write {
            if MenuItem::new(say!("compare-travel-to-its-last-write"))
                .icon(icons::LAST_WRITE)
                .key("double click")
                .ui(ui, tok)
            {
                out.push(Action::travel(self.cx.desk.windows.active, step.after()));
            }
            if MenuItem::new(say!("compare-open-window-there"))
                .icon(icons::SIDE_BY_SIDE)
                .ui(ui, tok)
            {
                out.push(Action::Panel(PanelAction::OpenWindowAt(
                    self.cx.moment(step.after()),
                )));
            }
        }
        if MenuItem::new(say!("compare-next-write"))
            .icon(icons::NEXT_WRITE)
            .key("Shift+Enter")
            .ui(ui, tok)
        {
            out.push(Action::Travel(TravelAction::GoToAccess(
                cell.clone(),
                Access::Write,
                Direction::Forward,
            )));
        }
        for (value, at, side) in [
            (from, self.between.from, CompareSide::Left),
            (to, self.between.to, CompareSide::Right),
        ] {
            let words = say!("slice-why-item", cell = format!("{label} = {value}"));
            let item = MenuItem::new(&words).icon(icons::WHY);
            if (if side == self.view.side() {
                item.key("W")
            } else {
                item
            })
            .ui(ui, tok)
            {
                out.push(Action::Slice(SliceAction::WhyAt(cell.clone(), at)));
            }
        }
        let (first, last) = (
            self.between.from.min(self.between.to),
            self.between.from.max(self.between.to),
        );
        if first < last {
            let between = [
                (say!("compare-first-read-between"), Access::Read),
                (say!("compare-first-write-between"), Access::Write),
            ];
            for (words, access) in between {
                if MenuItem::new(words).ui(ui, tok) {
                    let travel =
                        Action::Travel(TravelAction::GoToAccessUntil(cell.clone(), access, last));
                    out.extend([
                        Action::Panel(PanelAction::OpenWindowAt(self.cx.moment(first))),
                        travel,
                    ]);
                }
            }
        }
        if let CellName::Memory(address, _) = cell
            && MenuItem::new(say!("compare-show-memory-there"))
                .icon(icons::MEMORY)
                .ui(ui, tok)
        {
            out.push(Action::View(ViewAction::ShowMemory(address.clone())));
        }
        if let Some(CellMeaning::Symbol(symbol)) = meaning
            && MenuItem::new(&say!("compare-show-memory-at", symbol = symbol)).ui(ui, tok)
        {
            out.push(Action::View(ViewAction::ShowMemory(format!(
                "sym::`{symbol}`"
            ))));
        }
        menu_line_ui(ui, tok);
        for (text, value) in [
            (say!("compare-copy-value-at-the-left"), from),
            (say!("compare-copy-value-at-the-right"), to),
        ] {
            if MenuItem::new(text).ui(ui, tok) {
                out.push(Action::App(AppAction::Copy(value.clone())));
            }
        }
        if MenuItem::new(say!("compare-copy-as-text"))
            .icon(icons::COPY)
            .ui(ui, tok)
        {
            out.extend(
                self.view
                    .copied(place)
                    .map(|it| Action::App(AppAction::Copy(it))),
            );
        }
    }
}
