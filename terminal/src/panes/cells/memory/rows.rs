//! Rows of memory: their columns by the width of the pane ([`MemoryRowShape`]), their text, and the
//! bottom line about the byte under the cursor ([`spans`]).
//!
//! A sign before a byte or a group marks changes without colour: `*` it differs, `=` the last step
//! wrote the value that it already had, `!` external, `~` inferred. Unknown bytes are `??`.

use ratatui::style::{Modifier, Style};
use stepback_debugger::messages::say;
use stepback_debugger::model::byte_detail::{
    ByteDetail, byte_digits, gap_words, number_text, place_in_row, row_text,
};
use stepback_debugger::model::memory::{ByteCell, LastAccessKind, MemoryRow, aligned};
use stepback_debugger::model::registers::lane_characters;
use stepback_debugger::model::so_far::{SourceWords, source_so_far};
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::{TextRole, TextSpan};
use stepback_debugger::views::MemoryView;
use stepback_index::answer::ValueSource;
use stepback_machine::Address;
use stepback_machine::display::{LaneFormat, LaneKind};

use crate::look::{StyleRole, TerminalStyle};
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};

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
                let beside = run.after(columns(view.shape.end() + 2));
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
            .after(columns(shape.group_column(place)))
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
        .after(columns(shape.text_column()))
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
        rest = rest.after(2);
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

/// Standard row widths in bytes, the longest first.
const WIDTHS: [u8; 3] = [32, 16, 8];

/// Layout of a memory row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRowShape {
    pub bytes: usize,
    pub group: usize,
    /// Number format; none if bytes are shown.
    pub format: Option<LaneFormat>,
    /// Number of digits of an address.
    pub digits: usize,
}

impl MemoryRowShape {
    /// Returns the layout with the longest rows that fit into `columns`.
    pub fn widest(self, columns: u16) -> Self {
        let of = |bytes: u8| Self {
            bytes: usize::from(bytes).max(self.group),
            ..self
        };
        let fitting = WIDTHS
            .into_iter()
            .map(of)
            .find(|shape| shape.end() <= usize::from(columns));
        fitting.unwrap_or_else(|| of(8))
    }

    /// Returns the width of a group, including its sign.
    pub fn group_columns(&self) -> usize {
        1 + self.format.map_or(2 * self.group, lane_characters)
    }

    /// Returns the column of the sign before the group of a byte.
    pub fn group_column(&self, place: usize) -> usize {
        let halves = if self.format.is_some() { 0 } else { place / 8 };
        self.digits + 1 + place / self.group.max(1) * self.group_columns() + halves
    }

    /// Returns the column of the first character.
    pub fn text_column(&self) -> usize {
        self.group_column(self.bytes.saturating_sub(1)) + self.group_columns() + 2
    }

    /// Returns the column after the last character.
    pub fn end(&self) -> usize {
        self.text_column() + self.bytes
    }

    /// Returns the byte at a column, in display order; none in the space between bytes.
    pub fn byte_at(&self, column: usize) -> Option<MemoryColumn> {
        if let Some(place) = column
            .checked_sub(self.text_column())
            .filter(|place| *place < self.bytes)
        {
            return Some(MemoryColumn::Text(place));
        }
        let first = (0..self.bytes).step_by(self.group.max(1));
        let start = first
            .rev()
            .find(|place| self.group_column(*place) <= column)?;
        let within = column.checked_sub(self.group_column(start) + 1)?;
        let place = if self.format.is_some() { 0 } else { within / 2 };
        (column < self.group_column(start) + self.group_columns())
            .then_some(MemoryColumn::Digits(start + place))
    }
}

/// Content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryColumn {
    /// Digits of a byte, by its display index.
    Digits(usize),
    /// Character of a byte, by its index.
    Text(usize),
}

/// Returns address, symbol, value, compared value and writer of a byte.
pub fn spans(view: &MemoryView, address: Address, cx: &PaneContext<'_>) -> Vec<TextSpan> {
    let mut spans = vec![TextSpan::new(TextRole::Plain, format!("{:08x}", address.0))];
    let mut add = |meaning, text: &str| spans.push(TextSpan::new(meaning, format!(" {text}")));
    let detail = view.byte(address);
    if let Some(symbol) = detail.and_then(|detail| detail.symbol.as_deref()) {
        add(TextRole::Symbol, symbol);
    }
    if let Some(cell) = view.cell(address) {
        add(TextRole::Number, &value_words(view, address, cell, cx));
        if let Some(other) = cell.other.filter(|other| *other != cell.value) {
            add(
                TextRole::Label,
                &say!("terminal-there", value = byte_digits(other)),
            );
        }
    }
    if let Some(detail) = detail {
        detail_words(detail, cx)
            .iter()
            .for_each(|words| add(TextRole::Label, words));
    }
    spans
}

/// Returns the value as `67 = 103 'g'`, or the number of the group.
fn value_words(
    view: &MemoryView,
    address: Address,
    cell: &ByteCell,
    cx: &PaneContext<'_>,
) -> String {
    let Some(byte) = cell.value else {
        return cell.hex();
    };
    let letter = if cell.character() == '.' {
        String::new()
    } else {
        format!(" '{}'", cell.character())
    };
    let group = view.group();
    let number = group_of(view, address)
        .filter(|cells| cells.len() > 1)
        .map(|cells| {
            let format = LaneFormat::new(LaneKind::Unsigned, group);
            format!(
                " (:{group} {})",
                number_text(&cells, format, view.endian(cx.desk))
            )
        });
    format!("{byte:02x} = {byte}{letter}{}", number.unwrap_or_default())
}

/// Returns the aligned bytes around the cursor that form a number.
fn group_of(view: &MemoryView, address: Address) -> Option<Vec<ByteCell>> {
    let len_bytes = u64::from(view.group());
    let first = aligned(address, len_bytes);
    (0..len_bytes)
        .map(|place| view.cell(Address(first.0.checked_add(place)?)).copied())
        .collect()
}

/// Returns the origin of the value and its writer, the most important fact first.
fn detail_words(detail: &ByteDetail, cx: &PaneContext<'_>) -> Vec<String> {
    let mut words = Vec::new();
    let source = detail.state.source;
    if source != ValueSource::Recorded && detail.accesses.is_none() {
        words.push(source_so_far(
            &cx.desk.session,
            source,
            SourceWords::of(source).phrase,
        ));
    }
    words.push(match (detail.written_by, &detail.writer) {
        (Some(step), Some(function)) => {
            say!(
                "memory-written-by-step-in",
                step = step.0,
                function = function.as_str()
            )
        }
        (Some(step), None) => say!("memory-written-by-step", step = step.0),
        (None, _) => say!("memory-never-written-before").to_owned(),
    });
    if let (Some(before), Some(_)) = (detail.before, detail.written_by) {
        words.push(format!("{} {before:02x}", say!("memory-before")));
    }
    if let Some(accesses) = &detail.accesses {
        let read = accesses
            .last_read
            .map(|step| format!("{}{}", say!("memory-last-read-step"), thousands(step.0)));
        words.extend(read.into_iter().chain(accesses.doubt.clone()));
    }
    words.extend(detail.physical.clone());
    words
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

#[cfg(test)]
mod shape_tests {
    use super::*;
    use stepback_machine::display::LaneKind;

    #[test]
    fn rows_are_as_long_as_there_is_room() {
        let shape = MemoryRowShape {
            bytes: 16,
            group: 1,
            format: None,
            digits: 8,
        };
        assert_eq!(
            [20, 80, 132, 140, 150].map(|columns| shape.widest(columns).bytes),
            [8, 16, 16, 16, 32]
        );
        let wide = MemoryRowShape {
            digits: 12,
            ..shape
        };
        assert_eq!(wide.widest(80).end(), 80);
        assert_eq!(
            MemoryRowShape {
                group: 8,
                format: Some(LaneFormat::new(LaneKind::Float, 8)),
                ..shape
            }
            .widest(80)
            .bytes,
            16
        );
    }

    #[test]
    fn bytes_are_found_by_their_columns() {
        let shape = MemoryRowShape {
            bytes: 16,
            group: 1,
            format: None,
            digits: 8,
        };
        assert_eq!([9, 10, 11, 12, 13].map(|column| shape.byte_at(column)), {
            let (first, second) = (Some(MemoryColumn::Digits(0)), Some(MemoryColumn::Digits(1)));
            [None, first, first, None, second]
        });
        assert_eq!(
            shape.byte_at(shape.text_column() + 15),
            Some(MemoryColumn::Text(15))
        );
        assert_eq!(shape.byte_at(shape.end()), None);
        let grouped = MemoryRowShape { group: 4, ..shape };
        assert_eq!(
            grouped.byte_at(grouped.group_column(4) + 3),
            Some(MemoryColumn::Digits(5))
        );
    }
}
