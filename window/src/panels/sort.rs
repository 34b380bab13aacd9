//! Column heads that sort a list.

use egui::{Rect, Ui, pos2, vec2};

use super::pen::{Pen, head_font};
use super::row::button_response;
use crate::theme::{icon, icons};
use stepback_debugger::messages::say;

/// Sort order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SortBy {
    /// Column, counted from the left; none: the original order.
    pub column: Option<usize>,
    pub is_falling: bool,
}

impl SortBy {
    /// Applies a click on a head: sorts by it, then in falling order, then restores the original
    /// order.
    pub fn press(&mut self, column: usize) {
        *self = match (self.column == Some(column), self.is_falling) {
            (true, false) => Self {
                column: Some(column),
                is_falling: true,
            },
            (true, true) => Self::default(),
            (false, _) => Self {
                column: Some(column),
                is_falling: false,
            },
        };
    }

    /// Sorts rows by a column. The sort is stable.
    pub fn sort<T, K: Ord>(self, rows: &mut [T], key: impl Fn(&T, usize) -> K) {
        let Some(column) = self.column else { return };
        rows.sort_by(|one, other| {
            let (one, other) = (key(one, column), key(other, column));
            if self.is_falling {
                other.cmp(&one)
            } else {
                one.cmp(&other)
            }
        });
    }
}

/// Head of a column; its index in the list of heads is the column number.
pub struct ColumnHead<'a> {
    pub left: f32,
    pub name: &'a str,
}

/// Draws the heads of columns; a click sorts. Returns true if the order changed.
pub fn heads_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    line: Rect,
    heads: &[ColumnHead<'_>],
    sort: &mut SortBy,
) -> bool {
    let (tok, y) = (pen.tok, line.center().y);
    pen.line_across(line.left(), line.right(), line.bottom() - 1.0, tok.line);
    let before = *sort;
    for (column, head) in heads.iter().enumerate() {
        let end = heads
            .iter()
            .map(|other| other.left)
            .filter(|left| *left > head.left)
            .fold(line.right() - 4.0, f32::min);
        let width = pen.width(head.name, head_font()) + 14.0;
        let rect = Rect::from_min_max(
            pos2(head.left, line.top()),
            pos2((head.left + width).min(end), line.bottom()),
        );
        let response = button_response(
            ui,
            rect.expand2(vec2(2.0, 0.0)),
            ("head", column),
            &say!("threads-sort-by", name = head.name),
        );
        let is_chosen = before.column == Some(column);
        let color = if is_chosen || response.hovered() {
            tok.t1
        } else {
            tok.t2
        };
        let right = pen.cut_text(pos2(head.left, y), head.name, head_font(), color, end);
        if is_chosen {
            let caret = if before.is_falling {
                icons::CARET_DOWN
            } else {
                icons::CARET_UP
            };
            pen.text(right + 2.0, y, caret, icon(10.0), tok.t2);
        }
        let words = say!("table-sort-by", column = head.name.to_lowercase());
        if response.on_hover_text(words).clicked() {
            sort.press(column);
        }
    }
    *sort != before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_sorts_turns_round_and_gives_up() {
        let mut sort = SortBy::default();
        let order = |sort: SortBy| {
            let mut rows = vec![(2, 'b'), (1, 'c'), (3, 'a'), (1, 'd')];
            sort.sort(&mut rows, |row, column| {
                if column == 0 {
                    row.0.to_string()
                } else {
                    row.1.to_string()
                }
            });
            rows.into_iter().map(|row| row.1).collect::<String>()
        };
        assert_eq!(order(sort), "bcad");
        sort.press(0);
        assert_eq!(order(sort), "cdba");
        sort.press(0);
        assert_eq!(order(sort), "abcd");
        sort.press(1);
        assert_eq!(order(sort), "abcd");
        sort.press(1);
        sort.press(1);
        assert_eq!(order(sort), "bcad");
    }
}
