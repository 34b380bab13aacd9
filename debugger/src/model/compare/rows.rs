//! Rows of a comparison of two positions, and the differing pieces of their values.
//!
//! Registers are compared digit by digit, memory byte by byte. Adjacent single bytes share a row.

use stepback_index::answer::RegisterDifference;
use stepback_machine::{Address, Endian};
use stepback_parsers::Step;

use crate::action::{Access, CellName};
use crate::image::Images;
use crate::model::compare::cells::{CellKind, MemoryCell};
use crate::model::compare::comparison::DifferenceRegion;
use crate::model::names::place_name;
use crate::model::text::{bytes_text, leading_zeros};

/// Filter and layout of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompareRowOptions {
    /// Text that rows must contain in their name, symbol, values or meaning.
    pub filter: String,
    /// Titles of groups that the user opened or closed.
    pub toggled: Vec<String>,
    /// Number of single bytes in a row: 8 or 16.
    pub bytes_in_row: usize,
    /// Shows only cells that a step read, or wrote, between the two positions; none for all.
    pub accessed: Option<Access>,
}

/// Row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareRow {
    /// Title of a group.
    Group {
        /// `Registers`, or the name of the region.
        title: String,
        /// Range and number of differences.
        detail: String,
        /// True if the rows of the group are shown.
        is_open: bool,
    },
    /// A register or a run of bytes.
    Cell {
        /// Name of the cell for queries.
        cell: CellName,
        label: String,
        /// Symbol at the address.
        symbol: Option<String>,
        /// Digits at the first position.
        from: String,
        /// Digits at the second position.
        to: String,
        /// Meaning of the second value; for single bytes, of both values.
        meaning: Option<CellMeaning>,
        /// True for registers, which are compared digit by digit. Memory is compared byte by byte.
        is_register: bool,
        /// Last step that wrote the cell before the later position.
        last_write: Option<Step>,
    },
}

/// Readable meaning of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellMeaning {
    /// The value is an address with this symbol.
    Symbol(String),
    /// A number or characters.
    Text(String),
}

impl CellMeaning {
    /// Returns the text as shown.
    pub fn text(&self) -> &str {
        match self {
            Self::Symbol(text) | Self::Text(text) => text,
        }
    }
}

impl CompareRow {
    /// Returns the register or the memory; none for the title of a group.
    pub fn cell(&self) -> Option<&CellName> {
        match self {
            Self::Cell { cell, .. } => Some(cell),
            Self::Group { .. } => None,
        }
    }

    fn contains(&self, filter: &str) -> bool {
        let Self::Cell {
            label,
            symbol,
            from,
            to,
            meaning,
            ..
        } = self
        else {
            return true;
        };
        let texts = [
            Some(label.as_str()),
            symbol.as_deref(),
            Some(from.as_str()),
            Some(to.as_str()),
        ];
        let meaning = meaning.as_ref().map(CellMeaning::text);
        texts
            .into_iter()
            .chain([meaning])
            .flatten()
            .any(|text| text.to_lowercase().contains(filter))
    }
}

/// Adds a group with the members that match the filter; adds nothing if no member matches.
pub(super) fn push_group(
    rows: &mut Vec<CompareRow>,
    DifferenceRegion { title, is_dead, .. }: &DifferenceRegion,
    detail: String,
    mut members: Vec<CompareRow>,
    wanted: &CompareRowOptions,
) {
    let filter = wanted.filter.trim().to_lowercase();
    if !filter.is_empty() && !title.to_lowercase().contains(&filter) {
        members.retain(|row| row.contains(&filter));
    }
    if members.is_empty() {
        return;
    }
    let is_turned = wanted.toggled.iter().any(|other| other == title);
    let is_open = *is_dead == is_turned;
    rows.push(CompareRow::Group {
        title: title.clone(),
        detail,
        is_open,
    });
    if is_open {
        rows.append(&mut members);
    }
}

/// Builds the row of a register.
pub(super) fn register_row(register: &RegisterDifference, images: &Images) -> CompareRow {
    let symbol = register
        .to
        .to_u64()
        .and_then(|value| place_name(images, Address(value)));
    CompareRow::Cell {
        cell: CellName::Register(register.name.clone()),
        label: register.name.clone(),
        symbol: None,
        from: register.from.hex(),
        to: register.to.hex(),
        meaning: symbol.map(CellMeaning::Symbol),
        is_register: true,
        last_write: register.last_write,
    }
}

/// Builds the rows of memory cells; adjacent single bytes share a row.
pub(super) fn memory_rows(
    cells: &[&MemoryCell],
    endian: Endian,
    wanted: &CompareRowOptions,
    images: &Images,
) -> Vec<CompareRow> {
    let mut rows = Vec::new();
    let mut cells = cells.iter().peekable();
    while let Some(cell) = cells.next() {
        let mut cell = MemoryCell::clone(cell);
        while let Some(next) = cells.next_if(|next| shares_row(&cell, next, wanted.bytes_in_row)) {
            cell.from.extend(&next.from);
            cell.to.extend(&next.to);
            cell.last_write = cell.last_write.max(next.last_write);
        }
        rows.push(memory_row(&cell, endian, images));
    }
    rows
}

/// Returns true if two cells share a row. Rows begin at multiples of their length, so that columns
/// of adjacent rows line up.
fn shares_row(cell: &MemoryCell, next: &MemoryCell, bytes_in_row: usize) -> bool {
    let is_after = cell.address.checked_add(cell.to.len() as u64) == Some(next.address);
    let is_same = cell.address.checked_div(bytes_in_row as u64)
        == next.address.checked_div(bytes_in_row as u64);
    cell.kind == CellKind::Bytes && next.kind == CellKind::Bytes && is_after && is_same
}

fn memory_row(cell: &MemoryCell, endian: Endian, images: &Images) -> CompareRow {
    CompareRow::Cell {
        cell: CellName::Memory(format!("{:#x}", cell.address), cell.to.len() as u64),
        label: format!("{:x}", cell.address),
        symbol: place_name(images, Address(cell.address)),
        from: bytes_text(&cell.from),
        to: bytes_text(&cell.to),
        meaning: meaning(cell, endian, images),
        is_register: false,
        last_write: cell.last_write,
    }
}

fn meaning(cell: &MemoryCell, endian: Endian, images: &Images) -> Option<CellMeaning> {
    if cell.kind == CellKind::Bytes {
        // Bytes that are not text are more useful as digits.
        return [&cell.from, &cell.to]
            .into_iter()
            .any(|bytes| is_readable(bytes))
            .then(|| {
                CellMeaning::Text(format!(
                    "{} → {}",
                    characters(&cell.from),
                    characters(&cell.to)
                ))
            });
    }
    let number = cell.number(endian)?;
    Some(match place_name(images, Address(number)) {
        Some(symbol) => CellMeaning::Symbol(symbol),
        None if is_text(&cell.to) => CellMeaning::Text(characters(&cell.to)),
        None => CellMeaning::Text(format!("{number:x}")),
    })
}

/// Returns true if at least two bytes, and at least half of them, are printable.
fn is_readable(bytes: &[Option<u8>]) -> bool {
    let is_character =
        |byte: &&Option<u8>| byte.is_some_and(|byte| byte == b' ' || byte.is_ascii_graphic());
    let characters = bytes.iter().filter(is_character).count();
    characters >= 2 && 2 * characters >= bytes.len()
}

/// Returns true if a number consists of at least four printable characters followed only by zeros.
fn is_text(bytes: &[Option<u8>]) -> bool {
    let is_character =
        |byte: &Option<u8>| byte.is_some_and(|byte| byte == b' ' || byte.is_ascii_graphic());
    let characters = bytes.iter().take_while(|byte| is_character(byte)).count();
    characters >= 4 && bytes.iter().skip(characters).all(|byte| *byte == Some(0))
}

/// Formats bytes as characters: `"fish····"`. `·` replaces a byte that is not printable, `?` an
/// unknown one.
fn characters(bytes: &[Option<u8>]) -> String {
    let letter = |byte: &Option<u8>| match byte {
        Some(byte) if *byte == b' ' || byte.is_ascii_graphic() => char::from(*byte),
        Some(_) => '·',
        None => '?',
    };
    format!("\"{}\"", bytes.iter().map(letter).collect::<String>())
}

/// Unit by which two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonUnit {
    /// Single digits of registers. Leading zeros never count as differences.
    Digits,
    /// Space-separated words: bytes of memory.
    Bytes,
}

/// Splits a text into pieces, each marked as differing from `other` or not. Compares single digits
/// for registers (leading zeros never differ) and whole words (bytes) for memory.
pub fn differing_pieces(text: &str, other: &str, by: ComparisonUnit) -> Vec<(String, bool)> {
    let mut pieces: Vec<(String, bool)> = Vec::new();
    let mut push = |piece: &str, differs: bool| match pieces.last_mut() {
        Some((last, was)) if *was == differs => last.push_str(piece),
        _ => pieces.push((piece.to_owned(), differs)),
    };
    if by == ComparisonUnit::Digits {
        let zeros = leading_zeros(text);
        let mut others = other.chars();
        for (place, digit) in text.chars().enumerate() {
            let differs = others.next() != Some(digit) && place >= zeros;
            push(digit.encode_utf8(&mut [0; 4]), differs);
        }
    } else {
        let mut others = other.split(' ');
        for (place, byte) in text.split(' ').enumerate() {
            if place > 0 {
                push(" ", false);
            }
            push(byte, others.next() != Some(byte));
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_digits_and_bytes_are_distinguished() {
        let pieces = |text, other, is_register| {
            let mark =
                |(text, differs): (String, bool)| if differs { format!("<{text}>") } else { text };
            let by = if is_register {
                ComparisonUnit::Digits
            } else {
                ComparisonUnit::Bytes
            };
            differing_pieces(text, other, by)
                .into_iter()
                .map(mark)
                .collect::<String>()
        };
        assert_eq!(pieces("00ff", "00ef", true), "00<f>f");
        assert_eq!(pieces("0034", "bda9", true), "00<34>");
        assert_eq!(pieces("a9 02 00", "a9 bd 01", false), "a9 <02> <00>");
        assert_eq!(pieces("??", "04", false), "<??>");
    }
}
