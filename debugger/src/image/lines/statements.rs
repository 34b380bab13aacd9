//! Instructions at which a debugger does not stop.
//!
//! An optimised program has rows in its line tables that only say where an instruction came from. A
//! row at which a statement begins is marked (DWARF 5, section 6.2.2, `is_stmt`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use gimli::UnitRef;

use crate::image::lines::section::SectionReader;

/// Maximum number of ranges of a unit: no unit has more, and a damaged table may request all
/// memory.
const RANGES: usize = 1 << 20;

/// Maximum number of units whose ranges are kept.
const UNITS: usize = 1 << 10;

/// Rows of the line tables that begin no statement, by unit.
#[derive(Default)]
pub struct StatementRows {
    /// By the offset of the line table; the ranges ascend.
    by_table: HashMap<usize, Arc<[Range<u64>]>>,
}

impl StatementRows {
    /// Returns false if the row of an instruction begins no statement. The first query for a unit
    /// reads its line table.
    pub fn is_statement(&mut self, unit: UnitRef<'_, SectionReader>, address: u64) -> bool {
        let Some(program) = &unit.line_program else {
            return true;
        };
        let table = program.header().offset().0;
        if self.by_table.len() >= UNITS && !self.by_table.contains_key(&table) {
            self.by_table.clear();
        }
        let ranges = self
            .by_table
            .entry(table)
            .or_insert_with(|| other_rows(unit).into());
        let after = ranges.partition_point(|range| range.start <= address);
        let range = after.checked_sub(1).and_then(|before| ranges.get(before));
        range.is_none_or(|range| !range.contains(&address))
    }
}

/// Returns the addresses of the rows that begin no statement. Of several rows at one address, one
/// that begins a statement is enough.
fn other_rows(unit: UnitRef<'_, SectionReader>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let Some(program) = unit.line_program.clone() else {
        return ranges;
    };
    let mut rows = program.rows();
    // Address of the last rows, and whether one of them begins a statement.
    let mut open: Option<(u64, bool)> = None;
    // An unreadable row ends the table.
    while let Ok(Some((_, row))) = rows.next_row() {
        let address = row.address();
        let is_statement = row.is_stmt() && !row.end_sequence();
        open = match open {
            Some((start, was_statement)) if start == address && !row.end_sequence() => {
                Some((start, was_statement || is_statement))
            }
            Some((start, false)) if start < address => {
                ranges.push(start..address);
                Some((address, is_statement))
            }
            _ => Some((address, is_statement)),
        };
        if row.end_sequence() {
            open = None;
        }
        if ranges.len() >= RANGES {
            break;
        }
    }
    ranges.sort_unstable_by_key(|range| range.start);
    ranges
}
