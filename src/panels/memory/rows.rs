//! The rows of a memory panel.

use egui::{Pos2, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_index::ValueSource;
use stepback_machine::{Address, Endian};

use super::bar::Mark;
use super::beside::RowBeside;
use super::menu;
use super::panel::{byte_left, left_middle, text_left};
use crate::action::{Action, Follow};
use crate::messages::say;
use crate::model::memory::{ByteCell, ByteDetail, MemoryRow, Touch, place_in_row, source_words};
use crate::model::so_far::so_far;
use crate::model::text::{address_digits, size_text};
use crate::panels::ViewCx;
use crate::panels::bookmarks::ribbon_ui;
use crate::panels::pen::{ADVANCE, INSET, Pen, ROW};
use crate::panels::row::row_response;
use crate::theme::{mono, mono_bold};

/// What all rows of a frame share.
#[derive(Clone, Copy)]
pub struct RowsView<'a> {
    /// The window's state.
    pub cx: &'a ViewCx<'a>,
    /// What the panel shows the state at.
    pub follow: Follow,
    /// Bytes in a group.
    pub group: usize,
    /// The byte under the cursor.
    pub cursor: Option<Address>,
    /// How groups read as numbers.
    pub endian: Endian,
    /// What is known of the byte that the foot tells about.
    pub detail: Option<&'a ByteDetail>,
}

/// What was done to the bytes in this frame.
#[derive(Debug, Default)]
pub struct Touched {
    /// Under the pointer.
    pub hovered: Option<Address>,
    /// Clicked.
    pub clicked: Option<Address>,
    /// Double-clicked.
    pub double_clicked: Option<Address>,
}

/// The rows in view, and by how much the first is scrolled out.
pub struct RowsPlace<'a> {
    pub pen: &'a Pen<'a>,
    pub rows: &'a [MemoryRow],
    pub pixels: f32,
    pub body: Rect,
    pub list: Rect,
}

/// Memory that no step accesses.
pub struct Gap {
    pub first: Address,
    pub last: Address,
    pub rect: Rect,
    /// Of an address beside it.
    pub digits: usize,
}

/// A byte, where it is shown, and its place in the row.
pub struct ByteIn<'a> {
    pub shown: usize,
    pub place: usize,
    pub cell: &'a ByteCell,
    pub pen: &'a Pen<'a>,
}

/// A byte and where it is painted.
pub struct ByteShape<'a> {
    pub cell: &'a ByteCell,
    pub shape: Rect,
    pub left: f32,
}

/// Draws the line of column numbers and the rows below it.
pub fn rows_ui(
    ui: &mut Ui,
    RowsPlace { pen, rows, pixels, body, list }: RowsPlace<'_>,
    view: RowsView<'_>,
    touched: &mut Touched,
    out: &mut Vec<Action>,
) {
    let shown = rows.iter().take((list.height() / ROW) as usize + 1);
    let addresses = shown.filter(|row| matches!(row, MemoryRow::Bytes { .. })).map(|row| row.last().0);
    let address_width = ADVANCE * address_digits(Address(addresses.max().unwrap_or(0))) as f32;
    head_ui(pen, body, address_width, view.group);
    let hairline = body.left() + text_left(address_width) - 8.0;
    let pen = Pen { painter: pen.painter.with_clip_rect(list.intersect(pen.painter.clip_rect())), tok: pen.tok };
    let mut top = list.top() - pixels;
    for row in rows {
        if top >= list.bottom() {
            break;
        }
        let rect = Rect::from_min_size(pos2(list.left(), top.round()), vec2(list.width(), ROW));
        match row {
            MemoryRow::Bytes { address, cells } => {
                let row = BytesRow { address: *address, cells, rect, address_width };
                row.ui(ui, &pen, view, touched, out);
            }
            MemoryRow::Gap { first, last } => {
                let digits = (address_width / ADVANCE) as usize;
                gap_ui(ui, &pen, Gap { first: *first, last: *last, rect, digits }, view, touched);
            }
        }
        top += ROW;
    }
    pen.line_down(hairline, body.top(), top.min(list.bottom()), pen.tok.line);
}

fn head_ui(pen: &Pen<'_>, body: Rect, address_width: f32, group: usize) {
    let y = body.top() + 10.5;
    for place in (0..16).step_by(group.max(1)) {
        let x = body.left() + byte_left(place, group, address_width);
        pen.text(x, y, format!("{place:02x}"), mono(11.5), pen.tok.t3);
    }
}

fn gap_ui(ui: &Ui, pen: &Pen<'_>, Gap { first, last, rect, digits }: Gap, view: RowsView<'_>, touched: &mut Touched) {
    let tok = pen.tok;
    let response =
        row_response(ui, rect, ("gap", first.0), || say!("memory-never-accessed-from", address = first.to_string()));
    pen.fill(rect, tok.bg2);
    let holds_cursor = view.cursor.is_some_and(|cursor| (first..=last).contains(&cursor));
    if holds_cursor && view.cx.has_focus {
        pen.frame(rect.shrink(1.0), 0, tok.focus);
    }
    let Pos2 { x, y } = left_middle(rect);
    let end = pen.code(x + INSET, y, format!("{:0digits$x} – {:0digits$x}", first.0, last.0), tok.t3);
    let size = match (last.0 - first.0).checked_add(1) {
        Some(bytes) => size_text(bytes),
        None => say!("memory-16-eib").to_owned(),
    };
    pen.label(end + INSET, y, so_far(view.cx.session, &say!("memory-never-accessed", size = &*size)), tok.t3);
    if response.clicked() {
        touched.clicked = Some(first);
    }
}

struct BytesRow<'a> {
    address: Address,
    cells: &'a [ByteCell],
    rect: Rect,
    address_width: f32,
}

impl BytesRow<'_> {
    fn ui(&self, ui: &mut Ui, pen: &Pen<'_>, view: RowsView<'_>, touched: &mut Touched, out: &mut Vec<Action>) {
        let tok = pen.tok;
        let holds_cursor = view.cursor.is_some_and(|cursor| cursor.0 & !15 == self.address.0);
        let color = if holds_cursor { tok.symbol } else { tok.t3 };
        let digits = (self.address_width / ADVANCE) as usize;
        let Pos2 { x, y } = left_middle(self.rect);
        pen.code(x + INSET, y, format!("{:0digits$x}", self.address.0), color);
        if let Some(bookmark) = view.cx.bookmarks.memory_in(self.address.0, self.cells.len() as u64) {
            ribbon_ui(pen, self.rect.left_top() + vec2(2.0, 3.0), tok.ribbon(bookmark.color));
            let touch = Rect::from_min_size(self.rect.min, vec2(INSET, ROW));
            let response = ui.interact(touch, ui.unique_id().with(("ribbon", self.address.0)), Sense::hover());
            response.widget_info(|| {
                WidgetInfo::labeled(Role::Label, true, say!("memory-marked", title = bookmark.title()))
            });
            response.on_hover_text(bookmark.words());
        }
        for shown in 0..self.cells.len() {
            let place = place_in_row(shown, view.group, view.endian);
            if let Some(cell) = self.cells.get(place) {
                self.byte_ui(ui, ByteIn { shown, place, cell, pen }, view, touched, out);
            }
        }
        self.text_ui(ui, pen, view, touched);
        let left = self.rect.left() + text_left(self.address_width) + 17.0 * ADVANCE;
        let rect = Rect::from_min_max(pos2(left, self.rect.top()), self.rect.max);
        let beside = RowBeside { address: self.address, cells: self.cells, endian: view.endian, rect };
        beside.ui(ui, pen, view.cx, out);
    }

    fn byte_ui(
        &self,
        ui: &mut Ui,
        ByteIn { shown, place, cell, pen }: ByteIn<'_>,
        view: RowsView<'_>,
        touched: &mut Touched,
        out: &mut Vec<Action>,
    ) {
        let address = Address(self.address.0 + place as u64);
        let left = self.rect.left() + byte_left(shown, view.group, self.address_width);
        let touch = Rect::from_min_size(
            pos2(left - 1.5, self.rect.top()),
            vec2(if view.group == 1 { 18.0 } else { 15.0 }, ROW),
        );
        let response = ui.interact(touch, ui.unique_id().with(("byte", address.0)), Sense::CLICK);
        response
            .widget_info(|| WidgetInfo::labeled(Role::Cell, true, say!("memory-byte", address = address.to_string())));
        let shape = Rect::from_min_size(pos2((left - 1.0).round(), self.rect.top() + 1.0), vec2(17.0, ROW - 2.0));
        self.paint_byte(pen, ByteShape { cell, shape, left }, address, view);
        if response.hovered() {
            touched.hovered = Some(address);
        }
        if response.clicked() || response.secondary_clicked() {
            touched.clicked = Some(address);
        }
        if response.double_clicked() {
            touched.double_clicked = Some(address);
        }
        response.context_menu(|ui| menu::byte_menu(ui, address, cell, view, out));
        response.on_hover_ui(|ui| {
            let detail = view.detail.filter(|detail| detail.address == address);
            let general = || source_words(view.cx.session, cell.source);
            ui.label(detail.map_or_else(general, |detail| detail.source_text(view.cx.session)));
        });
    }

    fn paint_byte(
        &self,
        pen: &Pen<'_>,
        ByteShape { cell, shape, left }: ByteShape<'_>,
        address: Address,
        view: RowsView<'_>,
    ) {
        let tok = pen.tok;
        let is_cursor = view.cursor == Some(address);
        if is_cursor {
            pen.painter.rect_filled(shape, 2.0, if view.cx.has_focus { tok.sel } else { tok.bg3 });
        }
        let marks = [
            (cell.source == ValueSource::Inferred, Mark::Inferred),
            (cell.is_changed && !cell.is_news, Mark::Differs),
            (cell.is_news, Mark::Written),
            (cell.source == ValueSource::External, Mark::External),
        ];
        for (_, mark) in marks.into_iter().filter(|(is_marked, _)| *is_marked) {
            // The box of a change stays visible around what something else changed.
            let is_both = cell.is_news && mark == Mark::External;
            mark.paint(pen, if is_both { shape.shrink(1.0) } else { shape });
        }
        if is_cursor {
            pen.frame(shape.expand(1.0), 2, if view.cx.has_focus { tok.focus } else { tok.ctl });
        }
        let color = match () {
            () if cell.source == ValueSource::External => tok.external,
            () if cell.is_news => tok.changed,
            () if cell.touch == Some(Touch::Written) => tok.write,
            () if cell.touch == Some(Touch::Read) => tok.read,
            () if cell.value.is_none() && is_cursor => tok.t2,
            () if cell.value.is_none() => tok.unknown,
            () if cell.source == ValueSource::Inferred => tok.inferred,
            () if cell.value == Some(0) => tok.t3,
            () => tok.t1,
        };
        let font = if cell.is_news { mono_bold(12.5) } else { mono(12.5) };
        pen.text(left, shape.center().y, cell.hex(), font, color);
    }

    /// The characters, always in the order of addresses.
    fn text_ui(&self, ui: &Ui, pen: &Pen<'_>, view: RowsView<'_>, touched: &mut Touched) {
        let tok = pen.tok;
        let left = self.rect.left() + text_left(self.address_width);
        let rect = Rect::from_min_size(pos2(left, self.rect.top()), vec2(16.0 * ADVANCE, ROW));
        if let Some(cursor) = view.cursor.filter(|cursor| cursor.0 & !15 == self.address.0) {
            let place = (cursor.0 & 15) as f32;
            let shape = Rect::from_min_size(pos2(left + ADVANCE * place, rect.top() + 1.0), vec2(ADVANCE, ROW - 2.0));
            pen.painter.rect_filled(shape, 2.0, if view.cx.has_focus { tok.sel } else { tok.bg3 });
        }
        let text: String = self.cells.iter().map(ByteCell::character).collect();
        pen.code(left, rect.center().y, text, tok.t2);
        let response = ui.interact(rect, ui.unique_id().with(("text", self.address.0)), Sense::CLICK);
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Label, true, say!("memory-text-at", address = self.address.to_string()))
        });
        if let Some(pointer) = response.hover_pos() {
            let place = ((pointer.x - left) / ADVANCE).clamp(0.0, 15.0) as u64;
            touched.hovered = Some(Address(self.address.0 + place));
            if response.clicked() {
                touched.clicked = touched.hovered;
            }
        }
    }
}
