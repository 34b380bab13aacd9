//! The ribbon of a bookmark.

use egui::{Color32, Pos2, Rect, Response, Shape, Stroke, Ui, pos2};

use crate::panels::pen::Pen;
use stepback_debugger::notes::Bookmark;

/// Paints a ribbon, 7 wide and 12 high, with its upper left corner at a point.
pub fn ribbon_ui(pen: &Pen<'_>, at: Pos2, color: Color32) {
    let (left, top) = (at.x.round(), at.y.round());
    let (right, bottom, middle) = (left + 7.0, top + 12.0, left + 3.5);
    // Two halves, because the notch makes the whole shape concave.
    let half = |outer: f32| {
        vec![
            pos2(outer, top),
            pos2(middle, top),
            pos2(middle, bottom - 3.5),
            pos2(outer, bottom),
        ]
    };
    for outer in [left, right] {
        pen.painter
            .add(Shape::convex_polygon(half(outer), color, Stroke::NONE));
    }
    pen.fill(
        Rect::from_min_max(pos2(middle - 0.5, top), pos2(middle + 0.5, bottom - 3.5)),
        color,
    );
}

/// Shows name and note in a tooltip while the pointer is over a part of a row.
pub fn ribbon_tip(ui: &Ui, row: &Response, rect: Rect, bookmark: &Bookmark) {
    if row.hovered()
        && ui
            .input(|input| input.pointer.hover_pos())
            .is_some_and(|at| rect.contains(at))
    {
        let id = row.id.with("ribbon");
        egui::Tooltip::always_open(
            ui.ctx().clone(),
            ui.layer_id(),
            id,
            egui::PopupAnchor::Pointer,
        )
        .gap(12.0)
        .show(|ui| {
            ui.set_max_width(360.0);
            ui.label(bookmark.words())
        });
    }
}
