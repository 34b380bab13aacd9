//! Marks of bytes.

use egui::{Rect, vec2};

use crate::panels::pen::Pen;

/// Mark of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteMark {
    /// Written by the step just before the position.
    Written,
    /// Different from its value at the previous position.
    Differs,
    /// Changed by something outside of the traced program.
    External,
    /// Inferred from a recorded value.
    Inferred,
}

impl ByteMark {
    /// Paints the mark of a byte whose digits fill a rectangle.
    pub fn paint(self, pen: &Pen<'_>, rect: Rect) {
        let tok = pen.tok;
        match self {
            Self::Differs => {
                let corner = rect.right_top() - vec2(3.0, 0.0);
                pen.painter.rect_filled(
                    Rect::from_min_size(corner, vec2(3.0, 3.0)),
                    1.0,
                    tok.changed,
                );
            }
            Self::Written => {
                pen.painter.rect_filled(rect, 2.0, tok.changed_bg);
                pen.frame(rect, 2, tok.changed);
            }
            Self::External => {
                pen.fill(rect, tok.external_bg);
                pen.fill(Rect::from_min_size(rect.min, vec2(3.0, 3.0)), tok.external);
            }
            Self::Inferred => pen.dots(rect.left() + 1.0, rect.right() - 1.0, rect.bottom() - 1.0),
        }
    }
}
