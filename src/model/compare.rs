//! The difference of two positions as rows of a table.

use std::collections::HashMap;

use anyhow::Result;
use stepback_index::{Cancel, Difference, DifferenceBetween, MemoryDifference, Query as _, RegistersAt, Steps};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::code::Code;
use super::names::{function_name, place_name};
use super::text::{bytes_text, counted, leading_zeros, thousands};
use crate::action::CellName;
use crate::image::Images;
use crate::session::Session;

/// Memory without a symbol is one region as long as its differing bytes are nearer than this.
const REGION_GAP: u64 = 4096;

/// How far above the stack pointer memory is guessed to be the stack.
const STACK_REACH: u64 = 1 << 20;

/// What differs, ready to be laid out.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The answer of the index.
    pub difference: Difference,
    /// Registers compared in all.
    pub register_count: usize,
    /// Bytes that differ.
    pub byte_count: u64,
    /// Where memory belongs, parallel to `difference.memory`.
    regions: Vec<String>,
    /// The symbols in it, parallel to `difference.memory`.
    symbols: Vec<Option<String>>,
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
        /// It is a register: single digits are compared, bytes otherwise.
        is_register: bool,
        /// The last step that wrote it before the later position.
        last_write: Option<Step>,
    },
}

/// What a step that wrote a cell was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterText {
    /// The function.
    pub function: String,
    /// The instruction.
    pub code: Code,
}

/// Compares two positions. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn compare(session: &Session, from: Position, to: Position, cancel: &Cancel) -> Result<Comparison> {
    let index = &session.index;
    let difference = DifferenceBetween { from, to, thread: None }.run(index, cancel)?;
    let mut pointers = Vec::new();
    let mut register_count = 0;
    for position in [from, to] {
        let file = RegistersAt { position, thread: None }.run(index, cancel)?;
        let pointer = file.get("sp").and_then(|sp| sp.to_u64());
        pointers.extend(pointer.map(|pointer| file.instruction_set.stack_end(pointer)));
        register_count = file.registers.len();
    }
    Ok(Comparison::new(difference, register_count, &session.images, &pointers))
}

/// What the steps that wrote something were. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn writers(session: &Session, steps: &[Step], cancel: &Cancel) -> Result<HashMap<Step, WriterText>> {
    let mut texts = HashMap::new();
    for step in steps {
        let records = Steps { first: *step, count: 1 }.run(&session.index, cancel)?;
        if let Some(record) = records.first() {
            let function = match session.images.function_at(record.pc) {
                Some(found) => found.name.to_owned(),
                None => function_name(&session.images, record.pc),
            };
            texts.insert(*step, WriterText { function, code: Code::new(record, &session.images) });
        }
    }
    Ok(texts)
}

impl Comparison {
    /// Finds the region of each piece of memory. `stack_pointers` are those of the two positions.
    pub fn new(difference: Difference, register_count: usize, images: &Images, stack_pointers: &[u64]) -> Self {
        let is_stack = |address: Address| {
            let near = |sp: &u64| address.0.checked_sub(*sp).is_some_and(|above| above < STACK_REACH);
            stack_pointers.iter().any(near)
        };
        let mut regions: Vec<String> = Vec::new();
        let mut last_end = None;
        for run in &difference.memory {
            let is_near = last_end.is_some_and(|end: u64| run.address.0.saturating_sub(end) < REGION_GAP);
            let symbol = images.symbol_at(run.address).map(|found| found.name.to_owned());
            let region = match (symbol, regions.last()) {
                (Some(name), _) => name,
                (None, _) if is_stack(run.address) => "stack, guessed".to_owned(),
                (None, Some(last)) if is_near && last.starts_with("from ") => last.clone(),
                (None, _) => format!("from {:x}", run.address.0),
            };
            regions.push(region);
            last_end = Some(run.address.0.saturating_add(run.to.len() as u64));
        }
        let symbols = difference.memory.iter().map(|run| place_name(images, run.address)).collect();
        let bytes_of =
            |run: &MemoryDifference| run.from.iter().zip(&run.to).filter(|(from, to)| from != to).count() as u64;
        let byte_count = difference.memory.iter().map(bytes_of).sum();
        Self { difference, register_count, byte_count, regions, symbols }
    }

    /// `13 registers · 35 bytes differ`.
    pub fn summary(&self) -> String {
        let registers = counted(self.difference.registers.len() as u64, "register", "registers");
        let bytes = counted(self.byte_count, "byte", "bytes");
        if self.is_empty() { "Nothing differs".to_owned() } else { format!("{registers} · {bytes} differ") }
    }

    /// True when the two are the same.
    pub fn is_empty(&self) -> bool {
        self.difference.registers.is_empty() && self.difference.memory.is_empty()
    }

    /// The rows that contain a text, grouped; groups named in `closed` show their title alone.
    /// Memory is cut into pieces of at most `bytes_in_row`.
    pub fn rows(&self, filter: &str, closed: &[String], bytes_in_row: u64) -> Vec<CompareRow> {
        let filter = filter.trim().to_lowercase();
        let mut rows = Vec::new();
        let cells = self.register_rows(&filter);
        let differ = format!(
            "{} of {} differ",
            thousands(self.difference.registers.len() as u64),
            thousands(self.register_count as u64)
        );
        push_group(&mut rows, "Registers", differ, cells, closed);
        for (title, members) in self.regions() {
            let cells = self.memory_rows(&members, &filter, bytes_in_row.max(1));
            push_group(&mut rows, title, self.region_detail(&members), cells, closed);
        }
        rows
    }

    fn register_rows(&self, filter: &str) -> Vec<CompareRow> {
        let matching = self.difference.registers.iter().filter(|register| register.name.contains(filter));
        let row = |register: &stepback_index::RegisterDifference| CompareRow::Cell {
            cell: CellName::Register(register.name.clone()),
            label: register.name.clone(),
            symbol: None,
            from: register.from.hex(),
            to: register.to.hex(),
            is_register: true,
            last_write: register.last_write,
        };
        matching.map(row).collect()
    }

    /// The regions in order of their first byte, each with its places in `difference.memory`.
    fn regions(&self) -> Vec<(&str, Vec<usize>)> {
        let mut regions: Vec<(&str, Vec<usize>)> = Vec::new();
        let mut places = HashMap::new();
        for (place, title) in self.regions.iter().enumerate() {
            let region = *places.entry(title.as_str()).or_insert_with(|| {
                regions.push((title, Vec::new()));
                regions.len() - 1
            });
            if let Some((_, members)) = regions.get_mut(region) {
                members.push(place);
            }
        }
        regions
    }

    fn region_detail(&self, members: &[usize]) -> String {
        let runs: Vec<&MemoryDifference> =
            members.iter().filter_map(|place| self.difference.memory.get(*place)).collect();
        let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return String::new() };
        let end = last.address.0.saturating_add((last.to.len() as u64).saturating_sub(1));
        let bytes: usize =
            runs.iter().map(|run| run.from.iter().zip(&run.to).filter(|(from, to)| from != to).count()).sum();
        format!("{:x} – {end:x}, {} differ", first.address.0, counted(bytes as u64, "byte", "bytes"))
    }

    fn memory_rows(&self, members: &[usize], filter: &str, bytes_in_row: u64) -> Vec<CompareRow> {
        let mut rows = Vec::new();
        for place in members {
            let Some(run) = self.difference.memory.get(*place) else { continue };
            let symbol = self.symbols.get(*place).cloned().flatten();
            let mut start = 0;
            while start < run.to.len() {
                let address = run.address.0.wrapping_add(start as u64);
                // Rows begin at multiples of their length, so that the columns of neighbours agree.
                let length =
                    usize::try_from(bytes_in_row - address % bytes_in_row).unwrap_or(1).min(run.to.len() - start);
                let piece = |bytes: &[Option<u8>]| bytes_text(bytes.get(start..start + length).unwrap_or_default());
                let row = CompareRow::Cell {
                    cell: CellName::Memory(format!("{address:#x}"), length as u64),
                    label: format!("{address:x}"),
                    symbol: symbol.clone().filter(|_| start == 0),
                    from: piece(&run.from),
                    to: piece(&run.to),
                    is_register: false,
                    last_write: run.last_write,
                };
                if row.matches(filter) {
                    rows.push(row);
                }
                start += length;
            }
        }
        rows
    }
}

impl CompareRow {
    fn matches(&self, filter: &str) -> bool {
        match self {
            Self::Cell { label, symbol, .. } => {
                label.contains(filter) || symbol.as_ref().is_some_and(|symbol| symbol.to_lowercase().contains(filter))
            }
            Self::Group { .. } => true,
        }
    }
}

fn push_group(rows: &mut Vec<CompareRow>, title: &str, detail: String, cells: Vec<CompareRow>, closed: &[String]) {
    if cells.is_empty() {
        return;
    }
    let is_open = !closed.iter().any(|other| other == title);
    rows.push(CompareRow::Group { title: title.to_owned(), detail, is_open });
    if is_open {
        rows.extend(cells);
    }
}

/// What two texts are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Digits of registers: leading zeros never differ.
    Digits,
    /// Bytes of memory, which are words.
    Bytes,
}

/// Cuts two texts into pieces that are the same and pieces that differ: single digits of registers (leading zeros
/// never differ), whole words (bytes) of memory. Gives the pieces of the first text.
pub fn differing_pieces(text: &str, other: &str, by: Pieces) -> Vec<(String, bool)> {
    let mut pieces: Vec<(String, bool)> = Vec::new();
    let mut push = |piece: &str, differs: bool| match pieces.last_mut() {
        Some((last, was)) if *was == differs => last.push_str(piece),
        _ => pieces.push((piece.to_owned(), differs)),
    };
    if by == Pieces::Digits {
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
    use stepback_index::{RegisterDifference, Value};
    use stepback_machine::RegisterView;

    use super::*;

    fn register(name: &str, from: u64, to: u64) -> RegisterDifference {
        let value = |number: u64| Value(number.to_le_bytes().map(Some).to_vec());
        let view = RegisterView::default();
        RegisterDifference { name: name.to_owned(), view, from: value(from), to: value(to), last_write: Some(Step(9)) }
    }

    fn memory(address: u64, from: &[u8], to: &[u8]) -> MemoryDifference {
        let bytes = |bytes: &[u8]| bytes.iter().copied().map(Some).collect();
        MemoryDifference { address: Address(address), from: bytes(from), to: bytes(to), last_write: None }
    }

    fn comparison() -> Comparison {
        let difference = Difference {
            registers: vec![register("x0", 1, 2), register("sp", 0x8000, 0x8010)],
            memory: vec![
                memory(0x2006, &[1, 2, 3, 4], &[1, 9, 3, 9]),
                memory(0x2100, &[0], &[1]),
                memory(0x8020, &[0], &[5]),
            ],
        };
        Comparison::new(difference, 33, &Images::default(), &[0x8000, 0x8010])
    }

    #[track_caller]
    fn check(rows: &[CompareRow], expected: &[&str]) {
        let text = |row: &CompareRow| match row {
            CompareRow::Group { title, detail, is_open } => {
                format!("{} {title}: {detail}", if *is_open { '-' } else { '+' })
            }
            CompareRow::Cell { label, from, to, .. } => format!("{label} {from} > {to}"),
        };
        let rows: Vec<String> = rows.iter().map(text).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn registers_come_first_then_regions() {
        check(
            &comparison().rows("", &[], 8),
            &[
                "- Registers: 2 of 33 differ",
                "x0 0000000000000001 > 0000000000000002",
                "sp 0000000000008000 > 0000000000008010",
                "- from 2006: 2006 – 2100, 3 bytes differ",
                "2006 01 02 > 01 09",
                "2008 03 04 > 03 09",
                "2100 00 > 01",
                "- stack, guessed: 8020 – 8020, 1 byte differ",
                "8020 00 > 05",
            ],
        );
    }

    #[test]
    fn a_filter_leaves_groups_with_hits() {
        check(
            &comparison().rows("x0", &[], 8),
            &["- Registers: 2 of 33 differ", "x0 0000000000000001 > 0000000000000002"],
        );
        let closed = ["Registers".to_owned(), "from 2006".to_owned(), "stack, guessed".to_owned()];
        assert_eq!(comparison().rows("", &closed, 8).len(), 3);
    }

    #[test]
    fn differing_digits_and_bytes_are_told_apart() {
        let pieces = |text, other, is_register| {
            let mark = |(text, differs): (String, bool)| if differs { format!("<{text}>") } else { text };
            let by = if is_register { Pieces::Digits } else { Pieces::Bytes };
            differing_pieces(text, other, by).into_iter().map(mark).collect::<String>()
        };
        assert_eq!(pieces("00ff", "00ef", true), "00<f>f");
        assert_eq!(pieces("0034", "bda9", true), "00<34>");
        assert_eq!(pieces("a9 02 00", "a9 bd 01", false), "a9 <02> <00>");
        assert_eq!(pieces("??", "04", false), "<??>");
    }

    #[test]
    fn the_summary_counts_bytes_that_differ() {
        assert_eq!(comparison().summary(), "2 registers · 4 bytes differ");
        assert_eq!(Comparison::default().summary(), "Nothing differs");
    }
}
