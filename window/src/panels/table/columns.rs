//! Division of the width of a list between its columns.

use egui::Rect;
use stepback_debugger::action::PanelKind;
use stepback_debugger::model::table::{Table, TableCell, TableRow};

use crate::panels::pen::{ADVANCE, INSET, Pen, head_font};
use crate::panels::table::table_ui::longest;

/// Width of the bar that shows a share.
pub const SHARE: f32 = 120.0;
/// Width of the sign of the order, with its gap.
pub const ORDER_SIGN: f32 = 12.0;
/// Margin at the right edge of a list.
const MARGIN: f32 = 8.0;
/// Number of letters of a name that are never cut in favour of other columns.
const LEAST_NAME: f32 = 18.0;
/// Minimum width of a column that yields to others.
const LEAST: f32 = 44.0;
/// Number of rows that are looked at for numbers.
const SAMPLE: usize = 64;

/// Width of a column.
#[derive(Clone, Copy, Debug)]
struct ColumnWidth {
    /// Width in points; 0 if the column is left out.
    width: f32,
    /// The column contains words, which can be cut. Numbers are never cut.
    is_words: bool,
}

/// Left and right edges of the columns, in their order. Columns that are left out have no width.
pub struct ColumnEdges(Vec<(f32, f32)>);

impl ColumnEdges {
    /// Divides the width of a list. `ordered` is the column with the sign of the order.
    pub fn new(
        pen: &Pen<'_>,
        table: &Table,
        kind: PanelKind,
        ordered: Option<usize>,
        list: Rect,
    ) -> Self {
        let is_narrow = matches!(kind, PanelKind::Functions | PanelKind::Threads);
        let bar = if is_narrow { SHARE / 2.0 } else { SHARE };
        let wanted = table.columns.iter().enumerate().map(|(place, column)| {
            let cells = table.rows.iter().take(SAMPLE);
            let mut cells = cells.filter_map(|row| row.cells.get(place));
            let is_words = cells.all(|cell| cell.is_words());
            let is_bar = matches!(
                table.rows.first().and_then(|row| row.cells.get(place)),
                Some(TableCell::Bar(..))
            );
            let text = ADVANCE * column.characters.min(longest(kind)) as f32;
            let head = match ordered == Some(place) {
                true => pen.width(column.label, head_font()) + ORDER_SIGN,
                false => 0.0,
            };
            ColumnWidth {
                width: if is_bar { bar } else { text }.max(head),
                is_words,
            }
        });
        let mut columns: Vec<_> = wanted.collect();
        let end = list.right() - MARGIN;
        let mut left = list.left() + INSET;
        divide(&mut columns, &table.spare, end - left);
        let last = columns.len().saturating_sub(1);
        let edge = |(place, column): (usize, &ColumnWidth)| {
            if column.width <= 0.0 {
                return (left, left);
            }
            // The last column takes the rest, unless it has numbers, which would then be far from
            // all others.
            let takes_rest = place == last && !table.is_counted(place);
            let right = if takes_rest { end } else { left + column.width };
            let edges = (left, right.min(end));
            left = right + INSET;
            edges
        };
        Self(columns.iter().enumerate().map(edge).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = (f32, f32)> + '_ {
        self.0.iter().copied()
    }

    /// Returns true if a row is not wholly visible.
    pub fn cut(&self, row: &TableRow) -> bool {
        self.iter().zip(&row.cells).any(|((left, right), cell)| {
            let text: usize = cell
                .spans()
                .iter()
                .map(|span| span.text.chars().count())
                .sum();
            ADVANCE * text as f32 > (right - left).max(0.0) + INSET / 2.0
        })
    }
}

/// Fits columns into a width: first the names yield to spare columns, then these are left out, and
/// then the widest columns yield to the others.
fn divide(columns: &mut [ColumnWidth], spare: &[usize], room: f32) {
    let needed = |columns: &[ColumnWidth]| -> f32 {
        let shown = columns.iter().filter(|column| column.width > 0.0);
        shown.map(|column| column.width + INSET).sum::<f32>() - INSET
    };
    let missing = needed(columns) - room;
    if let Some(names) = columns
        .first_mut()
        .filter(|_| !spare.is_empty() && missing > 0.0)
    {
        names.width = (names.width - missing).max(names.width.min(ADVANCE * LEAST_NAME));
    }
    for place in spare {
        if needed(columns) <= room {
            break;
        }
        if let Some(column) = columns.get_mut(*place) {
            column.width = 0.0;
        }
    }
    let missing = needed(columns) - room;
    if missing > 0.0 {
        let words = columns.iter_mut().filter(|column| column.is_words);
        yield_width(words.map(|column| &mut column.width).collect(), missing);
    }
}

/// Takes a width from the widest columns, so that they become equally wide.
fn yield_width(mut widths: Vec<&mut f32>, missing: f32) {
    widths.retain(|width| **width > LEAST);
    widths.sort_by(|one, other| one.total_cmp(other));
    let mut room = widths.iter().map(|width| **width).sum::<f32>() - missing;
    let mut left = widths.len() as f32;
    for width in widths {
        *width = width.min((room / left).max(LEAST));
        room -= *width;
        left -= 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of words, or of numbers if the width is negative.
    #[track_caller]
    fn check(wanted: &[f32], spare: &[usize], room: f32, expected: &[f32]) {
        let column = |width: &f32| ColumnWidth {
            width: width.abs(),
            is_words: *width > 0.0,
        };
        let mut columns: Vec<_> = wanted.iter().map(column).collect();
        divide(&mut columns, spare, room);
        let found: Vec<f32> = columns.iter().map(|column| column.width).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn wide_columns_yield_to_narrow_ones() {
        check(
            &[90.0, 240.0, 240.0, 120.0],
            &[],
            800.0,
            &[90.0, 240.0, 240.0, 120.0],
        );
        check(
            &[90.0, 240.0, 240.0, 120.0],
            &[],
            546.0,
            &[90.0, 150.0, 150.0, 120.0],
        );
        // The last column is the widest: it is cut first.
        check(&[90.0, 100.0, 300.0], &[], 414.0, &[90.0, 100.0, 200.0]);
    }

    #[test]
    fn numbers_are_not_cut() {
        check(&[-200.0, 100.0, 100.0], &[], 344.0, &[200.0, 60.0, 60.0]);
        check(&[-200.0, 100.0, 100.0], &[], 10.0, &[200.0, LEAST, LEAST]);
    }

    #[test]
    fn spare_columns_are_left_out_before_others_are_cut() {
        check(&[100.0, 100.0, 80.0], &[2], 212.0, &[100.0, 100.0, 0.0]);
        check(&[300.0, 100.0, 80.0], &[2], 400.0, &[196.0, 100.0, 80.0]);
    }
}
