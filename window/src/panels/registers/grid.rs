//! The registers in columns with their groups, and the lanes of wide registers side by side.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::messages::say;
use stepback_debugger::model::register_format::RegisterReading;
use stepback_debugger::model::registers::{
    RegisterBoard, RegisterCell, RegisterSection, lane_characters,
};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::{
    GridLayout, GridRow, RegisterBlock, RegisterGrid, RowKind, lanes_per_row,
};
use stepback_machine::display::LaneFormat;

use crate::panels::menu::context_menu;
use crate::panels::pen::{ADVANCE, Pen};
use crate::panels::registers::cell::{
    CellPaint, CellView, background, cell_ui, difference_ui, menu, touch,
};
use crate::panels::registers::panel::RegisterInput;
use crate::panels::row::{button_response, row_response};
use crate::theme::{icon, icons, mono, mono_bold, semi, ui as ui_font};

/// Left inset of the first column.
const LEFT: f32 = 8.0;
/// Distance from name to value, for names of up to three letters.
const VALUE: f32 = 32.0;
/// Additional gap between four columns.
const APART: f32 = 14.0;
/// Gap between two lanes.
pub const GAP: f32 = 12.0;

/// Layout of the registers for a panel width.
pub struct RegisterLayout {
    reading: RegisterReading,
    width: f32,
    /// Distance from the left edge of the panel to the first lane.
    lanes_left: f32,
}

/// Measures that the cells of a row share.
#[derive(Clone, Copy, Debug)]
pub struct CellColumns {
    count: usize,
    /// Distance from the left edge of the panel to the first cell or lane.
    pub left: f32,
    /// Distance from one cell to the next.
    pub width: f32,
    /// Distance from the left of a register to its value.
    value: f32,
}

/// The registers that are shown, and their rows.
pub struct GridView<'a> {
    pub pen: &'a Pen<'a>,
    pub board: &'a RegisterBoard,
    pub grid: &'a RegisterGrid<CellColumns>,
}

/// A row and its rectangle.
pub struct GridRowPlace<'a> {
    pub pen: &'a Pen<'a>,
    pub rect: Rect,
    pub row: &'a GridRow<CellColumns>,
    pub board: &'a RegisterBoard,
}

impl RegisterLayout {
    pub fn new(board: &RegisterBoard, reading: RegisterReading, width: f32) -> Self {
        let name = board
            .core
            .iter()
            .map(|cell| cell.name.len())
            .max()
            .unwrap_or(3)
            .max(3);
        Self {
            reading,
            width,
            lanes_left: 14.0 + ADVANCE * name as f32 + GAP,
        }
    }

    fn columns(&self, cells: &[&RegisterCell]) -> CellColumns {
        let longest = |length: &dyn Fn(&RegisterCell) -> usize| {
            cells.iter().map(|cell| length(cell)).max().unwrap_or(0) as f32
        };
        let value = (longest(&|cell| cell.name.len()) * ADVANCE + 8.0).max(VALUE);
        let lane = self.reading.lanes.map_or(0, lane_characters) as f32 * ADVANCE;
        let digits = longest(&|cell| self.reading.shown_as.characters(cell)) * ADVANCE;
        let needed = value + digits.max(lane) + 14.0;
        let fitting = |apart: f32| (((self.width - LEFT) / (needed + apart)) as usize).clamp(1, 4);
        // The general registers have two columns of sixteen, or four of eight if there is much
        // room.
        let is_general = self.reading.lanes.is_none() && cells.len() <= 34;
        let count = if is_general && fitting(APART) < 4 {
            fitting(0.0).min(2)
        } else {
            fitting(0.0)
        };
        CellColumns {
            count,
            left: LEFT,
            width: (self.width - LEFT) / count as f32,
            value,
        }
    }

    fn lane_columns(&self, format: LaneFormat) -> CellColumns {
        let (left, width) = (
            self.lanes_left,
            ADVANCE * lane_characters(format) as f32 + GAP,
        );
        let fitting = ((self.width - left - 8.0) / width).max(1.0) as u16;
        CellColumns {
            count: lanes_per_row(fitting),
            left,
            width,
            value: 0.0,
        }
    }
}

impl GridLayout for RegisterLayout {
    type Row = CellColumns;

    const STOPS_AT_TITLES: bool = false;

    fn lanes(&self, cell: &RegisterCell) -> Option<LaneFormat> {
        self.reading.lanes_of(cell)
    }

    fn measure(&self, block: &RegisterBlock<'_>) -> CellColumns {
        match block {
            RegisterBlock::Columns(cells) => self.columns(cells),
            RegisterBlock::Lanes(_, format) => self.lane_columns(*format),
            RegisterBlock::Title(_) => CellColumns {
                count: 1,
                left: LEFT,
                width: self.width,
                value: 0.0,
            },
        }
    }

    fn count(&self, row: &CellColumns) -> usize {
        row.count
    }

    fn x(&self, _: &CellColumns, place: usize) -> u16 {
        u16::try_from(place).unwrap_or(u16::MAX)
    }
}

/// Draws a row.
pub fn row_ui(
    ui: &mut Ui,
    place: &GridRowPlace<'_>,
    view: CellView<'_>,
    touched: &mut RegisterInput,
) {
    let GridRowPlace {
        pen,
        rect,
        row,
        board,
    } = place;
    match row.kind {
        RowKind::Title(number) => {
            if let Some(section) = board.groups.get(number) {
                title_ui(ui, place, section, view, touched);
            }
        }
        RowKind::Lanes(first) => lanes_ui(ui, place, first, view, touched),
        RowKind::Cells => {
            let CellColumns {
                left, width, value, ..
            } = row.measures;
            let mut x = rect.left() + left;
            for spot in &row.spots {
                if let Some(cell) = board.cell(&spot.name) {
                    let place =
                        Rect::from_min_size(pos2(x, rect.top()), vec2(width, rect.height()));
                    cell_ui(ui, place, CellPaint { pen, cell, value }, view, touched);
                }
                x += width;
            }
        }
    }
}

fn title_ui(
    ui: &Ui,
    place: &GridRowPlace<'_>,
    section: &RegisterSection,
    view: CellView<'_>,
    touched: &mut RegisterInput,
) {
    let (GridRowPlace { pen, rect, .. }, title) = (place, section.title);
    let (rect, is_open) = (*rect, view.view.is_open(title));
    let lower = title.to_lowercase();
    let name = match is_open {
        true => say!("registers-hide-group", title = lower),
        false => say!("registers-show-group", title = lower),
    };
    let response = button_response(ui, rect, ("group", title), &name);
    pen.fill(
        rect,
        if response.hovered() {
            pen.tok.bg3
        } else {
            pen.tok.bg2
        },
    );
    let caret = if is_open {
        icons::CARET_DOWN
    } else {
        icons::CARET_RIGHT
    };
    let y = rect.center().y;
    pen.text(rect.left() + LEFT + 4.0, y, caret, icon(10.0), pen.tok.t2);
    let end = pen.text(rect.left() + LEFT + 20.0, y, title, semi(12.0), pen.tok.t2);
    pen.label(
        end + 8.0,
        y,
        thousands(section.cells.len() as u64),
        pen.tok.t3,
    );
    if response.clicked() {
        touched.title = Some(title.to_owned());
    }
}

struct LanePaint<'a> {
    pen: &'a Pen<'a>,
    lane: &'a RegisterCell,
}

/// Draws a row: the lanes of a register from `first` on.
pub(super) fn lanes_ui(
    ui: &mut Ui,
    place: &GridRowPlace<'_>,
    first: u16,
    view: CellView<'_>,
    touched: &mut RegisterInput,
) {
    let GridRowPlace {
        pen,
        rect: row,
        row: GridRow {
            measures, spots, ..
        },
        board,
    } = place;
    let mut cells = spots.iter().filter_map(|spot| board.part(&spot.name));
    let (start, y) = (row.left() + measures.left, row.center().y);
    if first > 0 {
        pen.text_left_of(start - GAP, y, format!("[{first}]"), mono(10.5), pen.tok.t3);
    } else if let Some(cell) = cells.next() {
        name_ui(ui, place, &cell, view, touched);
        if cell.value.is_unknown() {
            pen.text(
                start,
                y,
                say!("registers-unknown"),
                ui_font(12.5),
                pen.tok.unknown,
            );
        }
    }
    for (number, lane) in cells.enumerate() {
        let left = start + number as f32 * measures.width;
        let rect = Rect::from_min_size(
            pos2(left - 5.0, row.top()),
            vec2(measures.width - 2.0, row.height()),
        );
        lane_ui(ui, rect, LanePaint { pen, lane: &lane }, view, touched);
    }
}

/// Draws the name of a register in front of its lanes.
fn name_ui(
    ui: &mut Ui,
    place: &GridRowPlace<'_>,
    cell: &RegisterCell,
    view: CellView<'_>,
    touched: &mut RegisterInput,
) {
    let GridRowPlace {
        pen,
        rect: row,
        row: GridRow { measures, .. },
        ..
    } = place;
    let (tok, left, y) = (pen.tok, row.left() + 8.0, row.center().y);
    let rect = Rect::from_min_max(
        pos2(left, row.top()),
        pos2(row.left() + measures.left - 6.0, row.bottom()),
    );
    let response = row_response(ui, rect, ("register", &cell.name), || {
        say!("registers-row", name = &*cell.name)
    });
    background(pen, rect, cell, view.state(cell, &response));
    if cell.is_news {
        pen.fill(
            Rect::from_min_size(rect.min, vec2(2.0, rect.height())),
            tok.changed,
        );
    } else {
        difference_ui(pen, rect, cell);
    }
    let (font, color) = if cell.is_news {
        (mono_bold(12.5), tok.changed)
    } else {
        (mono(12.5), tok.register)
    };
    pen.text(left + 6.0, y, &cell.name, font, color);
    touch(&response, cell, touched);
    context_menu(&response, |ui| menu(ui, cell, view, touched));
}

fn lane_ui(
    ui: &mut Ui,
    rect: Rect,
    LanePaint { pen, lane }: LanePaint<'_>,
    view: CellView<'_>,
    touched: &mut RegisterInput,
) {
    let (tok, y) = (pen.tok, rect.center().y);
    let response = row_response(ui, rect, ("lane", &lane.name), || {
        say!("registers-row", name = &*lane.name)
    });
    background(pen, rect, lane, view.state(lane, &response));
    let text = view
        .reading
        .lanes
        .map_or_else(String::new, |format| format.lanes(&lane.value.0).concat());
    let is_zero = lane.value.0.iter().all(|byte| *byte == Some(0));
    let (font, color) = match () {
        () if lane.is_news && lane.is_changed => (mono_bold(12.5), tok.changed),
        () if text.contains('?') => (mono(12.5), tok.unknown),
        () if is_zero => (mono(12.5), tok.t3),
        () => (mono(12.5), tok.t1),
    };
    pen.text_left_of(rect.right() - 5.0, y, text, font, color);
    touch(&response, lane, touched);
    context_menu(&response, |ui| menu(ui, lane, view, touched));
    view.hover(lane)
        .tip(response, format!("{}  {}", lane.name, lane.hex));
}
