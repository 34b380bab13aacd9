//! The rows of a memory panel.

use egui::{Pos2, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_debugger::action::{Access, Action, Direction};
use stepback_debugger::messages::say;
use stepback_debugger::model::byte_detail::{
    ByteDetail, byte_digits, gap_words, number_text, place_in_row, row_text, source_words,
};
use stepback_debugger::model::memory::{ByteCell, LastAccessKind, MemoryRow, aligned_cell};
use stepback_debugger::model::text::address_digits;
use stepback_debugger::views::{ByteAction, MemoryView};
use stepback_index::answer::ValueSource;
use stepback_machine::display::LaneFormat;
use stepback_machine::{Address, Endian};

use super::shape::MemoryRowLayout;
use crate::panels::bookmarks::ribbon_ui;
use crate::panels::cursor_list::PanelOutput;
use crate::panels::memory::foot;
use crate::panels::memory::foot::MenuByte;
use crate::panels::memory::shape::{ByteMark, RowAnnotation};
use crate::panels::menu::context_menu;
use crate::panels::pen::{ADVANCE, INSET, Pen, ROW};
use crate::panels::row::row_response;
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{mono, mono_bold};

/// Inputs that all rows of a frame share.
#[derive(Clone, Copy)]
pub struct MemoryRowsView<'a> {
    pub cx: &'a PanelContext<'a>,
    pub memory: &'a MemoryView,
    /// Description of the position that memory is compared with.
    pub compared: Option<&'a str>,
    /// Known details of the byte in the foot.
    pub detail: Option<&'a ByteDetail>,
    /// Heap block that contains that byte.
    pub block: Option<&'a str>,
}

impl MemoryRowsView<'_> {
    /// Returns the byte order of groups.
    pub fn endian(&self) -> Endian {
        self.memory.endian(self.cx.desk)
    }

    /// Returns the cell of the aligned number at an address, for tooltips.
    pub fn hover(&self, address: Address, len_bytes: u64) -> HoverCell {
        HoverCell::shown(
            aligned_cell(address, len_bytes),
            self.memory.follow(),
            self.cx,
        )
    }
}

/// Pointer input on the bytes in one frame.
#[derive(Debug, Default)]
pub struct MemoryInput {
    /// Byte under the pointer.
    pub hovered: Option<Address>,
    /// Byte that was clicked.
    pub clicked: Option<Address>,
    /// Action on the bytes around an address.
    pub action: Option<(Address, ByteAction)>,
}

/// Areas of the rows, the length of a row, and the pen.
pub struct MemoryRowsArea<'a> {
    pub pen: &'a Pen<'a>,
    pub row_bytes: usize,
    pub body: Rect,
    pub list: Rect,
}

/// A row for memory that no step accesses.
pub struct MemoryGap {
    pub first: Address,
    pub last: Address,
    pub rect: Rect,
    /// Number of digits of the addresses in the panel.
    pub digits: usize,
}

/// Offset of a number in its row, and its format.
struct NumberPlace {
    first: usize,
    format: LaneFormat,
}

/// A byte, its column on the screen, and its offset in the row. The two differ in little-endian
/// groups.
pub struct BytePlace<'a> {
    pub shown: usize,
    pub place: usize,
    pub cell: &'a ByteCell,
    pub pen: &'a Pen<'a>,
}

pub struct ByteBox<'a> {
    pub cell: &'a ByteCell,
    pub shape: Rect,
    pub left: f32,
}

/// Draws the line of column numbers and the rows below it.
pub fn rows_ui(
    ui: &mut Ui,
    MemoryRowsArea {
        pen,
        row_bytes,
        body,
        list,
    }: MemoryRowsArea<'_>,
    view: MemoryRowsView<'_>,
    touched: &mut MemoryInput,
    out: &mut Vec<Action>,
) {
    let (memory, rows) = (view.memory, view.memory.rows());
    let shown = rows.iter().take((list.height() / ROW) as usize + 1);
    let addresses = shown
        .filter(|row| matches!(row, MemoryRow::Bytes { .. }))
        .map(|row| row.last().0);
    let address = ADVANCE * address_digits(Address(addresses.max().unwrap_or(0))) as f32;
    let shape = MemoryRowLayout {
        bytes: row_bytes,
        group: memory.group().into(),
        format: memory.format(),
        address,
    };
    head_ui(pen, body, shape);
    // Rows of memory that was never accessed have no columns.
    let hairline = body.left() + shape.text_left() - 8.0;
    pen.line_down(hairline, body.top(), list.top(), pen.tok.line);
    let pen = Pen {
        painter: pen
            .painter
            .with_clip_rect(list.intersect(pen.painter.clip_rect())),
        tok: pen.tok,
    };
    let mut top = list.top() - memory.pixels();
    for row in rows {
        if top >= list.bottom() {
            break;
        }
        let rect = Rect::from_min_size(pos2(list.left(), top.round()), vec2(list.width(), ROW));
        match row {
            MemoryRow::Bytes {
                address: first,
                source,
                cells,
                ..
            } => {
                let row = BytesRow {
                    address: *first,
                    source: source.as_deref(),
                    cells,
                    rect,
                    shape,
                };
                row.ui(ui, &pen, view, touched, out);
                pen.line_down(hairline, rect.top(), rect.bottom(), pen.tok.line);
            }
            MemoryRow::Gap { first, last } => {
                let digits = (address / ADVANCE) as usize;
                gap_ui(
                    ui,
                    &pen,
                    MemoryGap {
                        first: *first,
                        last: *last,
                        rect,
                        digits,
                    },
                    view,
                    touched,
                );
            }
        }
        top += ROW;
    }
}

fn head_ui(pen: &Pen<'_>, body: Rect, shape: MemoryRowLayout) {
    let y = body.top() + 10.5;
    for place in (0..shape.bytes).step_by(shape.group.max(1)) {
        let x = body.left() + shape.byte_left(place);
        pen.text(x, y, format!("{place:02x}"), mono(11.5), pen.tok.t3);
    }
}

fn gap_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    MemoryGap {
        first,
        last,
        rect,
        digits,
    }: MemoryGap,
    view: MemoryRowsView<'_>,
    touched: &mut MemoryInput,
) {
    let tok = pen.tok;
    let response = row_response(ui, rect, ("gap", first.0), || {
        say!("memory-never-accessed-from", address = first.to_string())
    });
    pen.fill(rect, tok.bg2);
    let holds_cursor = view
        .memory
        .cursor()
        .is_some_and(|cursor| (first..=last).contains(&cursor));
    if holds_cursor && view.cx.has_focus {
        pen.frame(rect.shrink(1.0), 0, tok.focus);
    }
    let Pos2 { x, y } = left_middle(rect);
    let end = pen.code(
        x + INSET,
        y,
        format!("{:0digits$x} – {:0digits$x}", first.0, last.0),
        tok.t3,
    );
    pen.label(
        end + INSET,
        y,
        gap_words(&view.cx.desk.session, first, last),
        tok.t3,
    );
    if response.clicked() {
        touched.clicked = Some(first);
    }
}

struct BytesRow<'a> {
    address: Address,
    source: Option<&'a str>,
    cells: &'a [ByteCell],
    rect: Rect,
    shape: MemoryRowLayout,
}

impl BytesRow<'_> {
    fn ui(
        &self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        view: MemoryRowsView<'_>,
        touched: &mut MemoryInput,
        out: &mut Vec<Action>,
    ) {
        let tok = pen.tok;
        let holds_cursor = view
            .memory
            .cursor()
            .is_some_and(|cursor| self.place_of(cursor).is_some());
        let color = if holds_cursor { tok.symbol } else { tok.t3 };
        let digits = (self.shape.address / ADVANCE) as usize;
        let Pos2 { x, y } = left_middle(self.rect);
        pen.code(x + INSET, y, format!("{:0digits$x}", self.address.0), color);
        if let Some(bookmark) = view
            .cx
            .desk
            .bookmarks
            .memory_in(self.address.0, self.cells.len() as u64)
        {
            ribbon_ui(
                pen,
                self.rect.left_top() + vec2(2.0, 3.0),
                tok.ribbon(bookmark.color),
            );
            let touch = Rect::from_min_size(self.rect.min, vec2(INSET, ROW));
            let response = ui.interact(
                touch,
                ui.unique_id().with(("ribbon", self.address.0)),
                Sense::hover(),
            );
            response.widget_info(|| {
                WidgetInfo::labeled(
                    Role::Label,
                    true,
                    say!("memory-marked", title = bookmark.title()),
                )
            });
            response.on_hover_text(bookmark.words());
        }
        if let Some(format) = self.shape.format {
            for first in (0..self.cells.len()).step_by(self.shape.group) {
                self.number_ui(
                    ui,
                    pen,
                    NumberPlace { first, format },
                    view,
                    PanelOutput { touched, out },
                );
            }
        }
        for shown in 0..if self.shape.format.is_none() {
            self.cells.len()
        } else {
            0
        } {
            let place = place_in_row(shown, self.shape.group, view.endian());
            if let Some(cell) = self.cells.get(place) {
                self.byte_ui(
                    ui,
                    BytePlace {
                        shown,
                        place,
                        cell,
                        pen,
                    },
                    view,
                    touched,
                    out,
                );
            }
        }
        self.text_ui(ui, pen, view, touched);
        let left = self.rect.left() + self.shape.text_end() + ADVANCE;
        let rect = Rect::from_min_max(pos2(left, self.rect.top()), self.rect.max);
        let (cells, source) = (self.cells, self.source);
        RowAnnotation {
            address: self.address,
            source,
            cells,
            view,
            rect,
        }
        .ui(ui, pen, out);
    }

    /// Returns the offset of an address in the row.
    fn place_of(&self, address: Address) -> Option<usize> {
        let place = address
            .0
            .checked_sub(self.address.0)
            .and_then(|place| usize::try_from(place).ok());
        place.filter(|place| *place < self.cells.len())
    }

    fn byte_ui(
        &self,
        ui: &mut Ui,
        BytePlace {
            shown,
            place,
            cell,
            pen,
        }: BytePlace<'_>,
        view: MemoryRowsView<'_>,
        touched: &mut MemoryInput,
        out: &mut Vec<Action>,
    ) {
        let address = Address(self.address.0 + place as u64);
        let left = self.rect.left() + self.shape.byte_left(shown);
        let touch = Rect::from_min_size(
            pos2(left - 1.5, self.rect.top()),
            vec2(self.shape.byte_width(), ROW),
        );
        let response = ui.interact(
            touch,
            ui.unique_id().with(("byte", address.0)),
            Sense::CLICK,
        );
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Cell,
                true,
                say!("memory-byte", address = address.to_string()),
            )
        });
        let shape = Rect::from_min_size(
            pos2((left - 1.0).round(), self.rect.top() + 1.0),
            vec2(17.0, ROW - 2.0),
        );
        self.paint_byte(pen, ByteBox { cell, shape, left }, address, view);
        touch_ui(response, address, cell, view, PanelOutput { touched, out });
    }

    /// Draws a group as a number. For the pointer it counts as its first byte.
    fn number_ui(
        &self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        NumberPlace { first, format }: NumberPlace,
        view: MemoryRowsView<'_>,
        requested: PanelOutput<'_, MemoryInput>,
    ) {
        let Some(cells) = self.cells.get(first..first + self.shape.group) else {
            return;
        };
        let Some(cell) = cells.first() else { return };
        let address = Address(self.address.0 + first as u64);
        let left = self.rect.left() + self.shape.byte_left(first);
        let width = self.shape.number_width().unwrap_or_default();
        let touch = Rect::from_min_size(pos2(left - 3.0, self.rect.top()), vec2(width - 6.0, ROW));
        let response = ui.interact(
            touch,
            ui.unique_id().with(("number", address.0)),
            Sense::CLICK,
        );
        let text = number_text(cells, format, view.endian());
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Cell,
                true,
                say!("memory-number-at", address = address.to_string()),
            )
        });
        let is_cursor = view
            .memory
            .cursor()
            .and_then(|cursor| cursor.0.checked_sub(address.0))
            .is_some_and(|offset| offset < cells.len() as u64);
        if is_cursor {
            pen.painter.rect_filled(
                touch,
                2.0,
                if view.cx.has_focus {
                    pen.tok.sel
                } else {
                    pen.tok.bg3
                },
            );
        }
        let doubtful = cells
            .iter()
            .map(|cell| cell.source)
            .max()
            .unwrap_or_default();
        let color = match () {
            () if cells.iter().any(|cell| cell.is_news) => pen.tok.changed,
            () if doubtful == ValueSource::External => pen.tok.external,
            () if doubtful == ValueSource::Inferred => pen.tok.inferred,
            () if text.contains('?') => pen.tok.unknown,
            () => pen.tok.t1,
        };
        let end = pen.code(left, touch.center().y, &text, color);
        if doubtful == ValueSource::Inferred {
            pen.dots(left, end, touch.bottom() - 2.0);
        }
        if cells.iter().any(|cell| cell.is_changed) {
            ByteMark::Differs.paint(pen, touch);
        }
        touch_ui(response, address, cell, view, requested);
    }

    fn paint_byte(
        &self,
        pen: &Pen<'_>,
        ByteBox { cell, shape, left }: ByteBox<'_>,
        address: Address,
        view: MemoryRowsView<'_>,
    ) {
        let tok = pen.tok;
        let is_cursor = view.memory.cursor() == Some(address);
        if is_cursor {
            pen.painter.rect_filled(
                shape,
                2.0,
                if view.cx.has_focus { tok.sel } else { tok.bg3 },
            );
        }
        let marks = [
            (cell.source == ValueSource::Inferred, ByteMark::Inferred),
            (cell.is_changed && !cell.is_news, ByteMark::Differs),
            (cell.is_news, ByteMark::Written),
            (cell.source == ValueSource::External, ByteMark::External),
        ];
        for (_, mark) in marks.into_iter().filter(|(is_marked, _)| *is_marked) {
            // The frame of a change stays visible around the mark of an external change.
            let is_both = cell.is_news && mark == ByteMark::External;
            mark.paint(pen, if is_both { shape.shrink(1.0) } else { shape });
        }
        if is_cursor {
            pen.frame(
                shape.expand(1.0),
                2,
                if view.cx.has_focus {
                    tok.focus
                } else {
                    tok.ctl
                },
            );
        }
        let color = match () {
            () if cell.source == ValueSource::External => tok.external,
            () if cell.is_news => tok.changed,
            () if cell.touch == Some(LastAccessKind::Written) => tok.write,
            () if cell.touch == Some(LastAccessKind::Read) => tok.read,
            () if cell.value.is_none() && is_cursor => tok.t2,
            () if cell.value.is_none() => tok.unknown,
            () if cell.source == ValueSource::Inferred => tok.inferred,
            () if cell.value == Some(0) => tok.t3,
            () => tok.t1,
        };
        let font = if cell.is_news {
            mono_bold(12.5)
        } else {
            mono(12.5)
        };
        pen.text(left, shape.center().y, cell.hex(), font, color);
    }

    /// Draws the characters, always in address order.
    fn text_ui(&self, ui: &Ui, pen: &Pen<'_>, view: MemoryRowsView<'_>, touched: &mut MemoryInput) {
        let tok = pen.tok;
        let left = self.rect.left() + self.shape.text_left();
        let width = ADVANCE * self.shape.bytes as f32;
        let rect = Rect::from_min_size(pos2(left, self.rect.top()), vec2(width, ROW));
        if let Some(place) = view
            .memory
            .cursor()
            .and_then(|cursor| self.place_of(cursor))
        {
            let at = left + ADVANCE * place as f32;
            let shape = Rect::from_min_size(pos2(at, rect.top() + 1.0), vec2(ADVANCE, ROW - 2.0));
            pen.painter.rect_filled(
                shape,
                2.0,
                if view.cx.has_focus { tok.sel } else { tok.bg3 },
            );
        }
        let text = row_text(self.cells, view.memory.text());
        pen.code(left, rect.center().y, text, tok.t2);
        let response = ui.interact(
            rect,
            ui.unique_id().with(("text", self.address.0)),
            Sense::CLICK,
        );
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Label,
                true,
                say!("memory-text-at", address = self.address.to_string()),
            )
        });
        if let Some(pointer) = response.hover_pos() {
            let place =
                ((pointer.x - left) / ADVANCE).clamp(0.0, (self.shape.bytes - 1) as f32) as u64;
            touched.hovered = Some(Address(self.address.0 + place));
            if response.clicked() {
                touched.clicked = touched.hovered;
            }
        }
    }
}

/// Handles pointer input on a byte or a number: hovering, clicks, menu and tooltip.
fn touch_ui(
    response: egui::Response,
    address: Address,
    cell: &ByteCell,
    view: MemoryRowsView<'_>,
    PanelOutput { touched, out }: PanelOutput<'_, MemoryInput>,
) {
    if response.hovered() {
        touched.hovered = Some(address);
    }
    if response.clicked() || response.secondary_clicked() {
        touched.clicked = Some(address);
    }
    if response.double_clicked() {
        let last_write =
            ByteAction::GoToAccess(view.memory.group().into(), Access::Write, Direction::Back);
        touched.action = Some((address, last_write));
    }
    context_menu(&response, |ui| {
        foot::byte_menu(
            ui,
            MenuByte { address, cell },
            view,
            PanelOutput { touched, out },
        )
    });
    response.on_hover_ui(|ui| {
        let session = &view.cx.desk.session;
        let detail = view.detail.filter(|detail| detail.address == address);
        let lines = detail.map_or_else(
            || vec![source_words(session, cell.source)],
            |detail| detail.lines(session),
        );
        for line in lines {
            ui.label(line);
        }
        if let Some(words) = view.block.filter(|_| detail.is_some()) {
            ui.label(say!("memory-heap", words = words));
        }
        if let Some((other, place)) = cell.other.zip(view.compared) {
            ui.label(say!(
                "memory-value-at",
                value = byte_digits(other),
                place = place
            ));
        }
        view.hover(address, view.memory.group().into()).line_ui(ui);
    });
}

/// Returns the middle of the left edge.
fn left_middle(rect: Rect) -> Pos2 {
    pos2(rect.left(), rect.center().y)
}
