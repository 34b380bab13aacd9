//! Tables with columns, drawn in cells.

use stepback_debugger::model::table::{Table, TableCell};
use stepback_debugger::model::{TextRole, TextSpan};
use stepback_debugger::views::{TableSource, TableView};

use super::list::{ListRow, ListView};
use crate::look::StyleRole;
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};

/// Space between two columns, in cells.
const GAP: u16 = 2;
/// Maximum width of a column in characters; longer texts are cut, except in the last column.
const LONGEST: usize = 44;
/// Minimum width of the name column before other columns are omitted.
const LEAST_NAME: u16 = 12;
/// Minimum width of a visible column, in cells.
const LEAST: u16 = 4;
/// Width of a bar, in cells.
const BAR: u16 = 10;

impl<S: TableSource> ListView for TableView<S> {
    fn title(&self, _: &PaneContext<'_>) -> String {
        self.source().title()
    }

    fn rewind(&mut self) {
        self.filter_mut().clear();
    }

    fn has_heads(&self) -> bool {
        self.table()
            .columns
            .iter()
            .any(|column| !column.label.is_empty())
    }

    fn heads(&self, run: CellRun, pen: &mut Pen<'_>, _: &PaneContext<'_>) {
        let style = pen.look.text(TextRole::Label);
        for (place, at) in columns(self, run.after(2)) {
            let label = self
                .table()
                .columns
                .get(place)
                .map_or("", |column| column.label);
            if is_number(self.table(), place) {
                pen.text_right(at, label, style);
            } else {
                pen.text(at, label, style);
            }
        }
    }

    fn row(&self, ListRow { place, run }: ListRow, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let Some(row) = self.table().rows.get(place) else {
            pen.role(
                run.after(2),
                self.more().unwrap_or_default(),
                StyleRole::Text(TextRole::Taken),
            );
            return;
        };
        if let Some(group) = self.table().group_at(place) {
            pen.role(
                run,
                if group.is_open { "▾" } else { "▸" },
                StyleRole::Text(TextRole::Second),
            );
        } else if self.source().is_here(row, cx.desk) {
            pen.role(run, "▶", StyleRole::Position(cx.desk.windows.active.0));
        }
        let detail = TextSpan::new(TextRole::Label, self.source().detail(row));
        for (place, at) in columns(self, run.after(2)) {
            let Some(cell) = row.cells.get(place) else {
                continue;
            };
            let rest = draw_cell(cell, at, pen);
            if place + 1 == row.cells.len() && !detail.text.is_empty() {
                pen.spans(rest.after(GAP), std::slice::from_ref(&detail));
            }
        }
        if row.is_faded {
            pen.mark(run, pen.look.text(TextRole::Unknown));
        }
    }
}

/// Draws a cell. Returns the rest of the run.
fn draw_cell(cell: &TableCell, at: CellRun, pen: &mut Pen<'_>) -> CellRun {
    match cell {
        TableCell::Text(_) | TableCell::Spans { .. } => pen.spans(at, cell.spans()),
        TableCell::Number(_, span) => pen.text_right(at, &span.text, pen.look.text(span.meaning)),
        TableCell::Step(_) => pen.text_right(at, &cell.text(), pen.look.text(TextRole::Second)),
        TableCell::Bar(reads, writes, most) => {
            let reads = bar(*reads, *most);
            let rest = pen.role(at, &"█".repeat(reads), StyleRole::Text(TextRole::Read));
            pen.role(
                rest,
                &"━".repeat(bar(*writes, *most)),
                StyleRole::Text(TextRole::Write),
            )
        }
    }
}

/// Returns the length of a bar in cells, at least one if the count is not zero.
fn bar(count: u64, most: u64) -> usize {
    let cells = u128::from(count) * u128::from(BAR) / u128::from(most.max(1));
    usize::try_from(cells)
        .unwrap_or_default()
        .clamp(usize::from(count > 0), usize::from(BAR))
}

fn is_number(table: &Table, place: usize) -> bool {
    let first = table.rows.first().and_then(|row| row.cells.get(place));
    matches!(first, Some(TableCell::Number(..) | TableCell::Step(_)))
}

/// A column and its width.
#[derive(Clone, Copy)]
struct TableColumnWidth {
    place: usize,
    width: u16,
}

/// Returns the columns that fit, with their cells in the row.
fn columns<S: TableSource>(view: &TableView<S>, run: CellRun) -> Vec<(usize, CellRun)> {
    let table = view.table();
    let mut wide: Vec<TableColumnWidth> = (0..table.columns.len())
        .map(|place| TableColumnWidth {
            place,
            width: width(table, place),
        })
        .collect();
    if let Some(names) = wide.first_mut().filter(|_| !table.spare.is_empty()) {
        names.width = names.width.min(LEAST_NAME.max(run.cells() / 3));
    }
    let needed = |wide: &[TableColumnWidth]| {
        wide.iter()
            .map(|column| u32::from(column.width + GAP))
            .sum::<u32>()
    };
    let named = |id: &&'static str| table.place_of(id);
    for spare in table
        .spare
        .iter()
        .copied()
        .chain(view.source().spare().iter().filter_map(named))
    {
        if needed(&wide) <= u32::from(run.cells() + GAP) {
            break;
        }
        wide.retain(|column| column.place != spare);
    }
    let (mut rest, last) = (run, wide.last().map(|column| column.place));
    let place = |TableColumnWidth { place, width }| {
        // The last column takes the rest. A column of numbers does not: they would be far from the
        // others.
        let takes_rest = Some(place) == last && !is_number(table, place);
        let at = if takes_rest { rest } else { rest.first(width) };
        rest = rest.after(width + GAP);
        (place, at)
    };
    let is_seen = |(place, at): &(usize, CellRun)| at.cells() >= LEAST.min(width(table, *place));
    wide.into_iter().map(place).filter(is_seen).collect()
}

fn width(table: &Table, place: usize) -> u16 {
    let first = table.rows.first().and_then(|row| row.cells.get(place));
    let characters = table
        .columns
        .get(place)
        .map_or(0, |column| column.characters.min(LONGEST));
    if matches!(first, Some(TableCell::Bar(..))) {
        BAR
    } else {
        u16::try_from(characters).unwrap_or(u16::MAX)
    }
}
