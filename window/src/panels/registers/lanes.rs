//! The lanes of wide registers, side by side.

use egui::{Rect, Ui, pos2, vec2};
use stepback_machine::LaneFormat;

use super::cell::{CellState, CellView, background, difference_ui, menu, touch};
use super::frame::{BoardView, Touched};
use crate::panels::asked::Asked;
use crate::panels::pen::{ADVANCE, Pen};
use crate::panels::row::row_response;
use crate::theme::{mono, mono_bold, ui as ui_font};
use stepback_debugger::analysis::register_part::Lane;
use stepback_debugger::messages::say;
use stepback_debugger::model::registers::{RegisterCell, lane_characters};

/// Between two lanes.
const GAP: f32 = 12.0;

/// How the lanes of a group are laid out in a panel of a width.
#[derive(Clone, Copy, Debug)]
pub struct LaneLayout {
    /// How they are read.
    pub format: LaneFormat,
    /// Lanes side by side.
    pub per_row: u16,
    /// From the left edge of the panel to the first lane.
    pub left: f32,
}

/// Lanes of a register from one on.
pub struct LaneRow<'a> {
    pub register: &'a str,
    pub first: u16,
    pub row: Rect,
}

/// A register whose lanes begin with one.
pub struct NamePaint<'a> {
    pub pen: &'a Pen<'a>,
    pub cell: &'a RegisterCell,
    pub first: u16,
}

/// A lane.
pub struct LanePaint<'a> {
    pub pen: &'a Pen<'a>,
    pub lane: &'a RegisterCell,
}

impl LaneLayout {
    /// As many lanes side by side as fit, a power of two, so that numbers of lanes are easily told.
    pub fn new(format: LaneFormat, cells: &[RegisterCell], width: f32) -> Self {
        let name = cells.iter().map(|cell| cell.name.len()).max().unwrap_or(3).max(3);
        let left = 14.0 + ADVANCE * name as f32 + GAP;
        let fitting = ((width - left - 8.0) / Self::lane_width(format)).max(1.0) as u16;
        let per_row = if fitting.is_power_of_two() { fitting } else { fitting.next_power_of_two() / 2 };
        Self { format, per_row, left }
    }

    fn lane_width(format: LaneFormat) -> f32 {
        ADVANCE * lane_characters(format) as f32 + GAP
    }

    /// How many lanes a register has.
    pub fn count(&self, cell: &RegisterCell) -> u16 {
        let lanes = cell.value.0.len() / usize::from(self.format.size_bytes.max(1));
        u16::try_from(lanes).unwrap_or(u16::MAX)
    }

    /// The name of a lane.
    pub fn name(&self, register: &str, index: u16) -> String {
        format!("{register}{}", Lane { size_bytes: self.format.size_bytes, index })
    }

    fn rect(&self, row: Rect, place: u16) -> Rect {
        let width = Self::lane_width(self.format);
        let left = row.left() + self.left + f32::from(place) * width;
        Rect::from_min_size(pos2(left - 5.0, row.top()), vec2(width - 2.0, row.height()))
    }

    /// Draws a row: some lanes of a register from `first` on.
    pub fn row_ui(
        &self,
        ui: &mut Ui,
        BoardView { pen, board }: BoardView<'_>,
        LaneRow { register, first, row }: LaneRow<'_>,
        view: CellView<'_>,
        Asked { touched, out }: Asked<'_, Touched>,
    ) {
        let Some(cell) = board.cell(register) else { return };
        let (tok, y) = (pen.tok, row.center().y);
        self.name_ui(ui, row, NamePaint { pen, cell, first }, view, Asked { touched, out });
        if cell.value.is_unknown() {
            if first == 0 {
                pen.text(row.left() + self.left, y, say!("registers-unknown"), ui_font(12.5), tok.unknown);
            }
            return;
        }
        let count = self.count(cell);
        for place in 0..self.per_row.min(count.saturating_sub(first)) {
            let lane = Lane { size_bytes: self.format.size_bytes, index: first + place };
            if let Some(lane) = cell.lane(lane) {
                self.lane_ui(ui, self.rect(row, place), LanePaint { pen, lane: &lane }, view, Asked { touched, out });
            }
        }
    }

    fn name_ui(
        &self,
        ui: &mut Ui,
        row: Rect,
        NamePaint { pen, cell, first }: NamePaint<'_>,
        view: CellView<'_>,
        Asked { touched, out }: Asked<'_, Touched>,
    ) {
        let (tok, left, y) = (pen.tok, row.left() + 8.0, row.center().y);
        if first > 0 {
            pen.text_left_of(row.left() + self.left - GAP, y, format!("[{first}]"), mono(10.5), tok.t3);
            return;
        }
        let rect = Rect::from_min_max(pos2(left, row.top()), pos2(row.left() + self.left - 6.0, row.bottom()));
        let response = row_response(ui, rect, ("register", &cell.name), || say!("registers-row", name = &*cell.name));
        let is_cursor = view.cursor == Some(cell.name.as_str());
        background(pen, rect, cell, CellState { response: &response, is_cursor, has_focus: view.cx.has_focus });
        if cell.is_news {
            pen.fill(Rect::from_min_size(rect.min, vec2(2.0, rect.height())), tok.changed);
        } else {
            difference_ui(pen, rect, cell);
        }
        let (font, color) = if cell.is_news { (mono_bold(12.5), tok.changed) } else { (mono(12.5), tok.register) };
        pen.text(left + 6.0, y, &cell.name, font, color);
        touch(&response, cell, view, touched, out);
        response.context_menu(|ui| menu(ui, cell, view, out));
    }

    fn lane_ui(
        &self,
        ui: &mut Ui,
        rect: Rect,
        LanePaint { pen, lane }: LanePaint<'_>,
        view: CellView<'_>,
        Asked { touched, out }: Asked<'_, Touched>,
    ) {
        let (tok, y) = (pen.tok, rect.center().y);
        let response = row_response(ui, rect, ("lane", &lane.name), || say!("registers-row", name = &*lane.name));
        let is_cursor = view.cursor == Some(lane.name.as_str());
        background(pen, rect, lane, CellState { response: &response, is_cursor, has_focus: view.cx.has_focus });
        let text = self.format.lanes(&lane.value.0).concat();
        let is_zero = lane.value.0.iter().all(|byte| *byte == Some(0));
        let (font, color) = match () {
            () if lane.is_news && lane.is_changed => (mono_bold(12.5), tok.changed),
            () if text.contains('?') => (mono(12.5), tok.unknown),
            () if is_zero => (mono(12.5), tok.t3),
            () => (mono(12.5), tok.t1),
        };
        pen.text_left_of(rect.right() - 5.0, y, text, font, color);
        touch(&response, lane, view, touched, out);
        response.context_menu(|ui| menu(ui, lane, view, out));
        view.hover(lane).tip(response, format!("{}  {}", lane.name, lane.hex));
    }
}
