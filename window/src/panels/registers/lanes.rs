//! The lanes of wide registers, side by side.

use egui::{Rect, Ui, pos2, vec2};

use super::cell::{CellView, background, difference_ui, menu, touch};
use super::frame::RegisterInput;
use super::grid::{GAP, GridRowPlace};
use crate::panels::pen::Pen;
use crate::panels::row::row_response;
use crate::theme::{mono, mono_bold, ui as ui_font};
use stepback_debugger::messages::say;
use stepback_debugger::model::registers::RegisterCell;
use stepback_debugger::views::GridRow;

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
    response.context_menu(|ui| menu(ui, cell, view, touched));
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
    response.context_menu(|ui| menu(ui, lane, view, touched));
    view.hover(lane)
        .tip(response, format!("{}  {}", lane.name, lane.hex));
}
