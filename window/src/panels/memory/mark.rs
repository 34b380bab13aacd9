//! How bytes stand out.

use egui::{Rect, vec2};

use crate::panels::pen::Pen;

/// How a byte is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteMark {
    /// The step just before the position wrote it.
    Written,
    /// It differs from what it was at the position before.
    Differs,
    /// Something outside the traced program changed it.
    External,
    /// It follows from something else.
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
