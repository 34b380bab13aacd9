//! The rows of a comparison.

use stepback_index::RegisterDifference;
use stepback_machine::{Address, Endian};
use stepback_parsers::Step;

use super::cells::{CellKind, MemoryCell};
use super::comparison::is_closed_at_first;
use crate::action::{Access, CellName};
use crate::image::Images;
use crate::model::names::place_name;
use crate::model::text::bytes_text;

/// Which rows are shown, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompareRowOptions {
    /// Rows that contain this text in their name, symbol, values or meaning.
    pub filter: String,
    /// Titles of groups that the user opened or closed.
    pub toggled: Vec<String>,
    /// Single bytes in a row: 8 or 16.
    pub bytes_in_row: usize,
    /// Cells that a step read, or wrote, between the two positions; none: all.
    pub accessed: Option<Access>,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareRow {
    /// The title of what follows.
    Group {
        /// `Registers`, or the region.
        title: String,
        /// Range and count.
        detail: String,
        /// Its rows are shown.
        is_open: bool,
    },
    /// A register or some bytes.
    Cell {
        /// For questions about it.
        cell: CellName,
        /// How it is called.
        label: String,
        /// The symbol of its address.
        symbol: Option<String>,
        /// Before, in digits.
        from: String,
        /// After, in digits.
        to: String,
        /// What it says later; for single bytes, what it said, too.
        meaning: Option<CellMeaning>,
        /// It is a register: single digits are compared, bytes otherwise.
        is_register: bool,
        /// The last step that wrote it before the later position.
        last_write: Option<Step>,
    },
}

/// What a value says to a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellMeaning {
    /// It is an address that has a name.
    Symbol(String),
    /// A number, or characters.
    Text(String),
}

impl CellMeaning {
    /// As it is shown.
    pub fn text(&self) -> &str {
        match self {
            Self::Symbol(text) | Self::Text(text) => text,
        }
    }
}

impl CompareRow {
    /// The register or the memory; none for the title of a group.
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

/// Adds a group with those of its rows that contain what is looked for; none, if none does.
pub(super) fn push_group(
    rows: &mut Vec<CompareRow>,
    title: &str,
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
    let is_open = is_closed_at_first(title) == is_turned;
    rows.push(CompareRow::Group {
        title: title.to_owned(),
        detail,
        is_open,
    });
    if is_open {
        rows.append(&mut members);
    }
}

/// The row of a register.
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

/// The rows of some cells of memory; single bytes that follow each other share one.
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

/// Rows begin at multiples of their length, so that the columns of neighbours agree.
fn shares_row(cell: &MemoryCell, next: &MemoryCell, bytes_in_row: usize) -> bool {
    let is_behind = cell.address.checked_add(cell.to.len() as u64) == Some(next.address);
    let is_same = cell.address.checked_div(bytes_in_row as u64)
        == next.address.checked_div(bytes_in_row as u64);
    cell.kind == CellKind::Bytes && next.kind == CellKind::Bytes && is_behind && is_same
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
        // Bytes that are no text say more as they are.
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

/// True when at least half of some bytes are characters that are read, and as many as make a word.
fn is_readable(bytes: &[Option<u8>]) -> bool {
    let is_character =
        |byte: &&Option<u8>| byte.is_some_and(|byte| byte == b' ' || byte.is_ascii_graphic());
    let characters = bytes.iter().filter(is_character).count();
    characters >= 2 && 2 * characters >= bytes.len()
}

/// True when most of a number would be characters that are read.
fn is_text(bytes: &[Option<u8>]) -> bool {
    let is_character =
        |byte: &Option<u8>| byte.is_some_and(|byte| byte == b' ' || byte.is_ascii_graphic());
    let characters = bytes.iter().take_while(|byte| is_character(byte)).count();
    characters >= 4 && bytes.iter().skip(characters).all(|byte| *byte == Some(0))
}

/// `"fish····"`: a point for each byte that is no character, a question mark for what is unknown.
fn characters(bytes: &[Option<u8>]) -> String {
    let letter = |byte: &Option<u8>| match byte {
        Some(byte) if *byte == b' ' || byte.is_ascii_graphic() => char::from(*byte),
        Some(_) => '·',
        None => '?',
    };
    format!("\"{}\"", bytes.iter().map(letter).collect::<String>())
}
