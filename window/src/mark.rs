//! The product mark: three lines of a trace, and an arrow back through them.

use egui::{Painter, Rect, Shape, Stroke, pos2, vec2};

use crate::theme::ThemeColors;

/// Paints the mark into a square.
pub fn paint(painter: &Painter, square: Rect, tok: &ThemeColors) {
    let unit = square.width() / 44.0;
    let at = |x: f32, y: f32| square.min + vec2(x, y) * unit;
    painter.rect_filled(square, 9.0 * unit, tok.sel);
    let line = |left: f32, right: f32, y: f32| {
        let rect = Rect::from_min_max(at(left, y), at(right, y + 3.0));
        painter.rect_filled(rect, 1.5 * unit, tok.t2);
    };
    line(18.0, 38.0, 11.0);
    line(18.0, 32.0, 20.0);
    line(18.0, 26.0, 29.0);
    painter.line_segment(
        [at(12.0, 27.0), at(39.0, 27.0)],
        Stroke::new(2.0 * unit, tok.accent),
    );
    let tip = vec![at(6.0, 27.0), at(14.0, 20.5), at(14.0, 33.5)];
    painter.add(Shape::convex_polygon(tip, tok.accent, Stroke::NONE));
}

/// Paints a dashed edge around a rectangle.
pub fn dashed_edge(painter: &Painter, rect: Rect, stroke: Stroke) {
    let corners = [
        rect.left_top(),
        rect.right_top(),
        rect.right_bottom(),
        rect.left_bottom(),
        rect.left_top(),
    ];
    for side in corners.windows(2) {
        if let [from, to] = side {
            painter.extend(Shape::dashed_line(
                &[pos2(from.x, from.y), *to],
                stroke,
                8.0,
                4.0,
            ));
        }
    }
}
