//! Compares two positions and groups the differences by region.

use std::collections::HashMap;

use anyhow::Result;
use stepback_index::answer::RegisterDifference;
use stepback_index::query::{DifferenceBetween, RegistersAt};
use stepback_index::{Cancel, Query as _};
use stepback_machine::{Address, Endian};
use stepback_parsers::Position;

use super::cells::{MemoryCell, PositionPair, cells_of, fill};
use super::rows::{CompareRow, CompareRowOptions, memory_rows, push_group, register_row};
use crate::image::Images;
use crate::messages::say;
use crate::session::Session;

/// Cells without a symbol share a region if the gap between them is smaller than this many bytes.
const REGION_GAP: u64 = 4096;

/// Distance above the stack pointer within which memory is assumed to be stack, in bytes.
const STACK_REACH: u64 = 1 << 20;
/// Distance below the stack pointer within which memory is assumed to be stack used by calls in
/// between; memory further below may hold other data.
const DEAD_REACH: u64 = 1 << 16;

/// Differences between two positions.
#[derive(Clone, Debug, Default)]
pub struct PositionComparison {
    /// Registers that differ, in register file order.
    pub registers: Vec<RegisterDifference>,
    /// Total number of registers compared.
    pub register_count: usize,
    /// Number of bytes that differ.
    pub byte_count: u64,
    /// The compared positions.
    pub between: PositionPair,
    /// Number of steps indexed at the time of the comparison.
    pub step_count: u64,
    /// Memory that differs, ascending.
    cells: Vec<MemoryCell>,
    regions: Vec<DifferenceRegion>,
    endian: Endian,
}

/// Group of related memory cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DifferenceRegion {
    pub(super) title: String,
    /// The region is below both stack pointers. That memory is unused: leftovers of calls in between
    /// are rarely of interest, so only the title is shown at first.
    pub(super) is_dead: bool,
    /// Indices of its cells.
    cells: Vec<usize>,
}

/// Compares two positions. Runs on a worker. Cost: that of [`DifferenceBetween`], and another read
/// of all differing memory.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn compare(
    session: &Session,
    from: Position,
    to: Position,
    cancel: &Cancel,
) -> Result<PositionComparison> {
    let index = &session.index;
    let difference = DifferenceBetween {
        from,
        to,
        thread: None,
    }
    .run(index, cancel)?;
    let (mut stack_pointers, mut register_count, mut word) = (Vec::new(), 0, 8);
    for position in [from, to] {
        let file = RegistersAt {
            position,
            thread: None,
        }
        .run(index, cancel)?;
        let pointer = file.get("sp").and_then(|sp| sp.to_u64());
        stack_pointers.extend(pointer.map(|pointer| file.instruction_set.stack_end(pointer)));
        (register_count, word) = (
            file.registers.len(),
            u64::from(file.instruction_set.word_bytes()),
        );
    }
    let mut cells = cells_of(&difference.memory, word);
    let between = PositionPair { from, to };
    fill(&mut cells, session, between, cancel)?;
    let endian = if index.info().is_big_endian {
        Endian::Big
    } else {
        Endian::Little
    };
    let regions = regions_of(&cells, &session.images, &stack_pointers);
    let registers = without_banks(difference.registers);
    let comparison = PositionComparison::new(registers, register_count, cells, regions);
    Ok(PositionComparison {
        between,
        step_count: index.step_count(),
        endian,
        ..comparison
    })
}

/// Drops banked registers (`sp_el3`) whose values differ exactly as those of the current register
/// (`sp`).
fn without_banks(registers: Vec<RegisterDifference>) -> Vec<RegisterDifference> {
    let is_stated = |bank: &RegisterDifference| {
        let is_same = |plain: &RegisterDifference| {
            let rest = bank.name.strip_prefix(plain.name.as_str());
            rest.is_some_and(|rest| rest.starts_with('_'))
                && (&plain.from, &plain.to) == (&bank.from, &bank.to)
        };
        registers.iter().any(is_same)
    };
    registers
        .iter()
        .filter(|register| !is_stated(register))
        .cloned()
        .collect()
}

/// Groups cells into regions, in the order of their first byte. `stack_pointers` are those at the
/// two positions.
fn regions_of(
    cells: &[MemoryCell],
    images: &Images,
    stack_pointers: &[u64],
) -> Vec<DifferenceRegion> {
    let mut regions: Vec<DifferenceRegion> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // An unnamed region continues while its cells are close together.
    let (mut last, mut is_plain, mut last_end) = (String::new(), false, None);
    for (cell, memory) in cells.iter().enumerate() {
        let end = memory
            .address
            .saturating_add((memory.to.len() as u64).saturating_sub(1));
        let is_near =
            last_end.is_some_and(|end: u64| memory.address.saturating_sub(end) < REGION_GAP);
        let symbol = [memory.address, end]
            .into_iter()
            .find_map(|address| images.symbol_at(Address(address)));
        let is_stack = symbol.is_none() && is_stack(memory.address, end, stack_pointers);
        let is_dead = is_stack && stack_pointers.iter().all(|pointer| end < *pointer);
        let title = match symbol {
            Some(symbol) => symbol.name.to_owned(),
            None if is_dead => say!("compare-below-the-stack-pointer").to_owned(),
            None if is_stack => say!("compare-stack-guessed").to_owned(),
            None if is_near && is_plain => last,
            None => say!("compare-from", address = format!("{:x}", memory.address)),
        };
        let place = *places.entry(title.clone()).or_insert_with(|| {
            regions.push(DifferenceRegion {
                title: title.clone(),
                is_dead,
                cells: Vec::new(),
            });
            regions.len() - 1
        });
        regions
            .get_mut(place)
            .into_iter()
            .for_each(|region| region.cells.push(cell));
        (last, is_plain, last_end) = (
            title,
            symbol.is_none() && !is_stack,
            Some(memory.address.saturating_add(memory.to.len() as u64)),
        );
    }
    regions
}

/// Returns true if memory without a symbol is close enough to a stack pointer to be part of its
/// stack.
fn is_stack(first: u64, last: u64, stack_pointers: &[u64]) -> bool {
    stack_pointers.iter().any(|pointer| {
        let reach = if last < *pointer {
            DEAD_REACH
        } else {
            STACK_REACH
        };
        pointer.abs_diff(first) < reach
    })
}

impl PositionComparison {
    fn new(
        registers: Vec<RegisterDifference>,
        register_count: usize,
        cells: Vec<MemoryCell>,
        regions: Vec<DifferenceRegion>,
    ) -> Self {
        let byte_count = cells.iter().map(MemoryCell::differing).sum();
        Self {
            registers,
            register_count,
            byte_count,
            cells,
            regions,
            ..Self::default()
        }
    }

    /// Formats a summary: `13 registers · 35 bytes differ`.
    pub fn summary(&self) -> String {
        match self.is_empty() {
            true => say!("compare-nothing-differs").to_owned(),
            false => say!(
                "compare-differ",
                registers = self.registers.len(),
                bytes = self.byte_count
            ),
        }
    }

    /// Returns true if nothing differs.
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.cells.is_empty()
    }

    /// Returns the rows that contain the filter text, grouped; closed groups show only their title.
    /// Cost: grows with the number of differences.
    pub fn rows(&self, wanted: &CompareRowOptions, images: &Images) -> Vec<CompareRow> {
        let mut rows = Vec::new();
        let (count, all) = (self.registers.len(), self.register_count);
        let detail = say!("compare-of-differ", count = count, all = all);
        let registers = self
            .registers
            .iter()
            .map(|register| register_row(register, images));
        let of_registers = DifferenceRegion {
            title: say!("compare-registers").to_owned(),
            is_dead: false,
            cells: Vec::new(),
        };
        let registers = registers.collect();
        push_group(&mut rows, &of_registers, detail, registers, wanted);
        for region in &self.regions {
            let cells: Vec<&MemoryCell> = region
                .cells
                .iter()
                .filter_map(|place| self.cells.get(*place))
                .collect();
            let members = memory_rows(&cells, self.endian, wanted, images);
            push_group(&mut rows, region, region_detail(&cells), members, wanted);
        }
        rows
    }
}

fn region_detail(cells: &[&MemoryCell]) -> String {
    let (Some(first), Some(last)) = (cells.first(), cells.last()) else {
        return String::new();
    };
    let end = last
        .address
        .saturating_add((last.to.len() as u64).saturating_sub(1));
    let bytes: u64 = cells.iter().map(|cell| cell.differing()).sum();
    say!(
        "compare-region",
        first = format!("{:x}", first.address),
        last = format!("{end:x}"),
        count = bytes
    )
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::Value;
    use stepback_machine::RegisterView;
    use stepback_parsers::Step;

    use super::*;
    use crate::model::compare::cells::CellKind;

    fn register(name: &str, from: u64, to: u64) -> RegisterDifference {
        let value = |number: u64| Value(number.to_le_bytes().map(Some).to_vec());
        let view = RegisterView::default();
        RegisterDifference {
            name: name.to_owned(),
            view,
            from: value(from),
            to: value(to),
            last_write: Some(Step(9)),
        }
    }

    fn cell(address: u64, kind: CellKind, from: &[u8], to: &[u8]) -> MemoryCell {
        let bytes = |bytes: &[u8]| bytes.iter().copied().map(Some).collect();
        MemoryCell {
            address,
            from: bytes(from),
            to: bytes(to),
            last_write: Some(Step(address & 15)),
            kind,
        }
    }

    fn comparison() -> PositionComparison {
        let cells = vec![
            cell(0x2000, CellKind::Bytes, b"..  gold", b"..  lead"),
            cell(0x2008, CellKind::Bytes, b"fish\0\0\0\0", b"bird\0\0\0\0"),
            cell(
                0x2100,
                CellKind::Word,
                &[1, 0, 0, 0],
                &[0x10, 0x32, 0x54, 0],
            ),
            cell(0x80_7ff0, CellKind::Word, &[0; 8], &[5; 8]),
            cell(
                0x80_8020,
                CellKind::Word,
                &[0; 8],
                &[5, 0, 0, 0, 0, 0, 0, 0],
            ),
        ];
        let regions = regions_of(&cells, &Images::default(), &[0x80_8000, 0x80_8010]);
        PositionComparison::new(
            vec![register("x0", 1, 2), register("sp", 0x8000, 0x8010)],
            33,
            cells,
            regions,
        )
    }

    #[track_caller]
    fn check(wanted: &CompareRowOptions, expected: &[&str]) {
        let text = |row: &CompareRow| match row {
            CompareRow::Group {
                title,
                detail,
                is_open,
            } => {
                format!("{} {title}: {detail}", if *is_open { '-' } else { '+' })
            }
            CompareRow::Cell {
                label,
                from,
                to,
                meaning,
                ..
            } => {
                format!(
                    "{label} {from} > {to} {}",
                    meaning.as_ref().map_or("", |meaning| meaning.text())
                )
            }
        };
        let rows = comparison().rows(wanted, &Images::default());
        assert_eq!(rows.iter().map(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn registers_come_first_then_regions_and_the_dead_stack_is_closed() {
        check(
            &CompareRowOptions {
                bytes_in_row: 8,
                ..CompareRowOptions::default()
            },
            &[
                "- Registers: 2 of 33 differ",
                "x0 0000000000000001 > 0000000000000002 ",
                "sp 0000000000008000 > 0000000000008010 ",
                "- from 2000: 2000 – 2103, 9 bytes differ",
                "2000 2e 2e 20 20 67 6f 6c 64 > 2e 2e 20 20 6c 65 61 64 \"..  gold\" → \"..  lead\"",
                "2008 66 69 73 68 00 00 00 00 > 62 69 72 64 00 00 00 00 \"fish····\" → \"bird····\"",
                "2100 01 00 00 00 > 10 32 54 00 543210",
                "+ below the stack pointer (guess): 807ff0 – 807ff7, 8 bytes differ",
                "- stack (guess): 808020 – 808027, 1 byte differ",
                "808020 00 00 00 00 00 00 00 00 > 05 00 00 00 00 00 00 00 5",
            ],
        );
    }

    #[test]
    fn bytes_that_follow_each_other_are_one_row_where_there_is_room() {
        let wanted = CompareRowOptions {
            filter: "BIRD".to_owned(),
            bytes_in_row: 16,
            ..CompareRowOptions::default()
        };
        check(
            &wanted,
            &[
                "- from 2000: 2000 – 2103, 9 bytes differ",
                "2000 2e 2e 20 20 67 6f 6c 64 66 69 73 68 00 00 00 00 > 2e 2e 20 20 6c 65 61 64 62 69 72 64 00 00 00 00 \
                 \"..  goldfish····\" → \"..  leadbird····\"",
            ],
        );
    }

    #[test]
    fn a_filter_leaves_groups_with_hits_and_a_click_turns_them() {
        let wanted = CompareRowOptions {
            filter: "x0".to_owned(),
            bytes_in_row: 8,
            ..CompareRowOptions::default()
        };
        check(
            &wanted,
            &[
                "- Registers: 2 of 33 differ",
                "x0 0000000000000001 > 0000000000000002 ",
            ],
        );
        let titles = [
            "Registers",
            "from 2000",
            "stack (guess)",
            say!("compare-below-the-stack-pointer"),
        ]
        .map(str::to_owned);
        let turned = CompareRowOptions {
            toggled: titles.to_vec(),
            bytes_in_row: 8,
            ..CompareRowOptions::default()
        };
        // Three groups are closed; the dead stack is open.
        assert_eq!(comparison().rows(&turned, &Images::default()).len(), 5);
    }

    #[test]
    fn a_bank_that_differs_as_its_register_is_told_once() {
        let named = |registers: Vec<RegisterDifference>| -> Vec<String> {
            without_banks(registers)
                .into_iter()
                .map(|register| register.name)
                .collect()
        };
        assert_eq!(
            named(vec![
                register("sp", 1, 2),
                register("sp_el3", 1, 2),
                register("spsr", 1, 2)
            ]),
            ["sp", "spsr"]
        );
        assert_eq!(
            named(vec![register("sp", 1, 2), register("sp_el1", 1, 3)]),
            ["sp", "sp_el1"]
        );
    }

    #[test]
    fn the_summary_counts_bytes_that_differ() {
        assert_eq!(comparison().summary(), "2 registers · 18 bytes differ");
        assert_eq!(PositionComparison::default().summary(), "No differences");
    }
}
