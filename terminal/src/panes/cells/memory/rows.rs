//! Text of memory rows, with signs that mark changes without colour.
//!
//! The sign precedes a byte or a group of bytes: `*` it differs, `=` the last step wrote the value
//! that it already had, `!` external, `~` inferred. Unknown bytes are `??`.

use ratatui::style::{Modifier, Style};
use stepback_index::ValueSource;
use stepback_machine::Address;

use super::shape::MemoryRowShape;
use crate::look::{StyleRole, TerminalStyle};
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};
use stepback_debugger::model::TextRole;
use stepback_debugger::model::memory::{ByteCell, LastAccessKind, MemoryRow};
use stepback_debugger::model::memory_text::{gap_words, number_text, place_in_row, row_text};
use stepback_debugger::views::MemoryView;

/// Context for drawing rows.
#[derive(Clone, Copy)]
pub struct MemoryRowsView<'a> {
    pub cx: &'a PaneContext<'a>,
    pub shape: MemoryRowShape,
    pub memory: &'a MemoryView,
}

struct ByteRow<'a> {
    address: Address,
    cells: &'a [ByteCell],
}

pub fn draw(run: CellRun, row: &MemoryRow, view: MemoryRowsView<'_>, pen: &mut Pen<'_>) {
    match row {
        MemoryRow::Gap { .. } => draw_gap(run, row, view, pen),
        MemoryRow::Bytes {
            address,
            source,
            cells,
            ..
        } => {
            draw_bytes(
                run,
                &ByteRow {
                    address: *address,
                    cells,
                },
                view,
                pen,
            );
            if let Some(source) = source {
                let beside = run.behind(columns(view.shape.end() + 2));
                pen.role(beside, source, StyleRole::Text(TextRole::Label));
            }
        }
    }
}

fn draw_gap(run: CellRun, row: &MemoryRow, view: MemoryRowsView<'_>, pen: &mut Pen<'_>) {
    let (first, last, digits) = (row.first().0, row.last().0, view.shape.digits);
    let never = gap_words(&view.cx.desk.session, row.first(), row.last());
    let rest = pen.role(
        run,
        &format!("{first:0digits$x} – {last:0digits$x}  "),
        StyleRole::Text(TextRole::Unknown),
    );
    let end = pen.role(rest, &never, StyleRole::Text(TextRole::Label));
    if view
        .memory
        .cursor()
        .is_some_and(|cursor| (row.first()..=row.last()).contains(&cursor))
    {
        pen.mark(CellRun { end: end.x, ..run }, cursor_style(view, pen.look));
    }
}

fn draw_bytes(run: CellRun, row: &ByteRow<'_>, view: MemoryRowsView<'_>, pen: &mut Pen<'_>) {
    let MemoryRowsView { shape, memory, .. } = view;
    let digits = shape.digits;
    pen.role(
        run,
        &format!("{:0digits$x}", row.address.0),
        StyleRole::Text(TextRole::Label),
    );
    let groups = row.cells.chunks(shape.group.max(1));
    for (place, group) in (0..).step_by(shape.group.max(1)).zip(groups) {
        let at = run
            .behind(columns(shape.group_column(place)))
            .first(columns(shape.group_columns()));
        let first = Address(row.address.0.saturating_add(place as u64));
        draw_group(
            at,
            &ByteRow {
                address: first,
                cells: group,
            },
            view,
            pen,
        );
    }
    let mut rest = run
        .behind(columns(shape.text_column()))
        .first(columns(shape.bytes));
    let mut letter_bytes = [0; 4];
    for (letter, (place, cell)) in row_text(row.cells, memory.text())
        .chars()
        .zip(row.cells.iter().enumerate())
    {
        let at = rest;
        rest = pen.text(
            rest,
            letter.encode_utf8(&mut letter_bytes),
            style_of(cell, pen.look),
        );
        if memory.cursor() == Some(Address(row.address.0.saturating_add(place as u64))) {
            pen.mark(at.first(1), cursor_style(view, pen.look));
        }
    }
}

/// Draws the bytes of a group in the order in which they form a number, or the number.
fn draw_group(at: CellRun, group: &ByteRow<'_>, view: MemoryRowsView<'_>, pen: &mut Pen<'_>) {
    let ByteRow { address, cells } = group;
    let endian = view.memory.endian(view.cx.desk);
    let marked = cells
        .iter()
        .max_by_key(|cell| rank(cell))
        .copied()
        .unwrap_or_default();
    let mut rest = pen.text(at, sign(&marked), style_of(&marked, pen.look));
    let holds = |place: usize| {
        view.memory.cursor() == Some(Address(address.0.saturating_add(place as u64)))
    };
    if let Some(format) = view.shape.format {
        let number = number_text(cells, format, endian);
        pen.text(rest, &number, style_of(&marked, pen.look));
        if (0..cells.len()).any(holds) {
            pen.mark(rest, cursor_style(view, pen.look));
        }
        return;
    }
    for shown in 0..cells.len() {
        let place = place_in_row(shown, view.shape.group, endian);
        let Some(cell) = cells.get(place) else {
            continue;
        };
        let at = rest.first(2);
        pen.text(at, &cell.hex(), style_of(cell, pen.look));
        if holds(place) {
            pen.mark(at, cursor_style(view, pen.look));
        }
        rest = rest.behind(2);
    }
}

/// Returns the sign of a byte.
fn sign(cell: &ByteCell) -> &'static str {
    match rank(cell) {
        4 => "!",
        3 => "*",
        2 => "~",
        1 => "=",
        _ => " ",
    }
}

/// Returns the priority of a byte's sign: the highest one in a group is shown.
fn rank(cell: &ByteCell) -> u8 {
    match () {
        () if cell.source == ValueSource::External => 4,
        () if cell.is_changed => 3,
        () if cell.source == ValueSource::Inferred => 2,
        // An unknown value cannot be reported as unchanged.
        () if cell.is_news && cell.value.is_some() => 1,
        () => 0,
    }
}

fn style_of(cell: &ByteCell, look: &TerminalStyle) -> Style {
    let meaning = match (cell.source, cell.touch) {
        (ValueSource::External, _) => TextRole::External,
        (_, Some(LastAccessKind::Written)) => TextRole::Write,
        (_, Some(LastAccessKind::Read)) => TextRole::Read,
        (ValueSource::Inferred, _) => TextRole::Inferred,
        (ValueSource::Unknown, _) => TextRole::Unknown,
        (ValueSource::Recorded, _) => TextRole::Plain,
    };
    let style = look.text(meaning);
    match () {
        () if cell.is_changed => style.patch(look.style(StyleRole::Changed)),
        () if cell.is_news => style.add_modifier(Modifier::BOLD),
        () => style,
    }
}

fn cursor_style(view: MemoryRowsView<'_>, look: &TerminalStyle) -> Style {
    look.style(if view.cx.has_focus {
        StyleRole::Cursor
    } else {
        StyleRole::CursorAway
    })
}

fn columns(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: Option<u8>, source: ValueSource) -> ByteCell {
        ByteCell {
            value,
            source,
            is_changed: false,
            is_news: true,
            touch: None,
            other: None,
        }
    }

    #[test]
    fn of_an_unknown_byte_nothing_says_that_it_stayed_the_same() {
        assert_eq!(sign(&written(Some(0), ValueSource::Recorded)), "=");
        assert_eq!(sign(&written(None, ValueSource::Unknown)), " ");
    }
}
