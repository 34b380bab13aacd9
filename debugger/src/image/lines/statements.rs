//! Rows of the line tables at one address, and the row that a debugger shows there.
//!
//! An optimised program has rows that only say where an instruction came from. A row at which a
//! statement begins is marked (DWARF 5, section 6.2.2, `is_stmt`). Of several rows at one address
//! gdb takes the last one that begins a statement. It ignores rows without a line, and of rows of one
//! line with discriminators (DWARF 5, section 6.2.2) all but the first.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use gimli::{ColumnType, IncompleteLineProgram, LineRows, UnitRef};

use crate::image::lines::section::SectionReader;

/// Maximum number of ranges of a unit: no unit has more, and a damaged table may request all
/// memory.
const RANGES: usize = 1 << 20;

/// Maximum number of rows at one address, for the same reason.
const ROWS: usize = 1 << 16;

/// Maximum number of units whose ranges are kept.
const UNITS: usize = 1 << 10;

/// A row of a line table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// Number of the file in the table.
    pub file: u64,
    /// Line number, from 1; none for code that has no line.
    pub line: Option<u32>,
    /// Column, from 1; none if the compiler did not record it.
    pub column: Option<u32>,
    /// A statement begins here.
    pub is_statement: bool,
}

/// Rows at one address.
pub struct RowGroup {
    /// Addresses up to the next row.
    pub code: Range<u64>,
    /// The rows, never empty. The last one is the row that a debugger shows.
    pub rows: Vec<TableRow>,
    /// The group is the first of a sequence.
    pub begins_sequence: bool,
    /// Debuggers ignore the rows: the code belongs to the group before.
    pub is_continued: bool,
    /// Last row as the table orders them.
    last: TableRow,
}

impl RowGroup {
    /// Returns true if the code has the line of the group before. Rows without a line are ignored
    /// only for steps.
    pub fn is_of_line_before(&self) -> bool {
        self.is_continued && self.rows.iter().all(|row| row.line.is_some())
    }
}

type TableRows = LineRows<SectionReader, IncompleteLineProgram<SectionReader>, usize>;

/// Iterates over the groups of rows of a line table that have code. An unreadable row ends the
/// table.
pub struct RowGroups {
    rows: TableRows,
    /// Address and rows of the next group.
    open: Option<(u64, Vec<TableRow>)>,
    begins_sequence: bool,
    /// Rows of the next group that debuggers do not ignore.
    kept: usize,
    /// Last row with a line.
    before: Option<TableRow>,
    /// A row of that line has a discriminator.
    has_discriminator: bool,
}

impl RowGroups {
    /// Begins at the first row of a unit; none if the unit has no line table.
    pub fn of_unit(unit: UnitRef<'_, SectionReader>) -> Option<Self> {
        Some(Self {
            rows: unit.line_program.clone()?.rows(),
            open: None,
            begins_sequence: true,
            kept: 0,
            before: None,
            has_discriminator: false,
        })
    }

    /// Ends the group of rows that is open.
    fn close(&mut self, end: u64) -> Option<RowGroup> {
        let (start, mut rows) = self.open.take()?;
        let begins_sequence = std::mem::replace(&mut self.begins_sequence, false);
        let is_continued = !begins_sequence && self.kept == 0;
        let last = *rows.last()?;
        if start >= end {
            return None;
        }
        let with_line = |row: &TableRow| row.line.is_some();
        let shown = rows
            .iter()
            .rposition(|row| row.is_statement && with_line(row))
            .or_else(|| rows.iter().rposition(with_line));
        if let Some(shown) = shown {
            let row = rows.remove(shown);
            rows.push(row);
        }
        Some(RowGroup {
            code: start..end,
            rows,
            begins_sequence,
            is_continued,
            last,
        })
    }

    /// Returns true for a row that debuggers ignore.
    fn is_ignored(&mut self, row: &TableRow, discriminator: u64) -> bool {
        if row.line.is_none() {
            return true;
        }
        let is_same_line = self.before.is_some_and(|before| before.line == row.line);
        self.has_discriminator = discriminator != 0 || (is_same_line && self.has_discriminator);
        let before = self.before.replace(*row);
        let is_same_file = before.is_some_and(|before| before.file == row.file);
        is_same_line && is_same_file && self.has_discriminator
    }
}

impl Iterator for RowGroups {
    type Item = RowGroup;

    fn next(&mut self) -> Option<RowGroup> {
        while let Ok(Some((_, row))) = self.rows.next_row() {
            let address = row.address();
            let found = TableRow {
                file: row.file_index(),
                line: row.line().and_then(|line| u32::try_from(line.get()).ok()),
                column: match row.column() {
                    ColumnType::LeftEdge => None,
                    ColumnType::Column(column) => u32::try_from(column.get()).ok(),
                },
                is_statement: row.is_stmt(),
            };
            let is_end = row.end_sequence();
            let discriminator = row.discriminator();
            let is_ignored = !is_end && self.is_ignored(&found, discriminator);
            match &mut self.open {
                Some((start, rows)) if *start == address && !is_end => {
                    if rows.len() >= ROWS {
                        return None;
                    }
                    if self.kept == 0 && !is_ignored {
                        rows.retain(|row| row.line.is_none());
                    }
                    // An ignored row with a line is that of a row before.
                    if self.kept == 0 || !is_ignored || found.line.is_none() {
                        rows.push(found);
                    }
                    self.kept += usize::from(!is_ignored);
                    continue;
                }
                _ => {}
            }
            let closed = self.close(address);
            self.kept = usize::from(!is_ignored);
            if is_end {
                self.begins_sequence = true;
                self.before = None;
            } else {
                self.open = Some((address, vec![found]));
            }
            if closed.is_some() {
                return closed;
            }
        }
        None
    }
}

/// Rows of the line tables at which a look-up by address must do more than to take the last row, by
/// unit.
#[derive(Default)]
pub struct StatementRows {
    /// By the offset of the line table.
    by_table: HashMap<usize, Arc<UnitRows>>,
}

/// Ranges of a unit; all ascend.
#[derive(Default)]
struct UnitRows {
    /// Rows that begin no statement.
    others: Vec<Range<u64>>,
    /// Rows that a debugger shows instead of the last one at their address.
    shown: Vec<(Range<u64>, TableRow)>,
    /// Groups of rows with those that continue them.
    continued: Vec<Range<u64>>,
}

/// Row of an instruction.
pub struct InstructionRow {
    /// A statement begins here.
    pub is_statement: bool,
    /// The row that a debugger shows, if it is not the last one at its address.
    pub shown: Option<TableRow>,
}

impl StatementRows {
    /// Returns the row of an instruction. The first query for a unit reads its line table.
    pub fn row_at(&mut self, unit: UnitRef<'_, SectionReader>, address: u64) -> InstructionRow {
        let Some(rows) = self.rows_of(unit) else {
            return InstructionRow {
                is_statement: true,
                shown: None,
            };
        };
        let is_other = containing(&rows.others, address, |range| range).is_some();
        let shown = containing(&rows.shown, address, |(range, _)| range);
        InstructionRow {
            is_statement: !is_other,
            shown: shown.map(|(_, row)| *row),
        }
    }

    /// Returns the code of the row of an instruction with the rows that debuggers take for a part of
    /// it; none if there are no such rows.
    pub fn continued_at(
        &mut self,
        unit: UnitRef<'_, SectionReader>,
        address: u64,
    ) -> Option<Range<u64>> {
        let rows = self.rows_of(unit)?;
        containing(&rows.continued, address, |range| range).cloned()
    }

    fn rows_of(&mut self, unit: UnitRef<'_, SectionReader>) -> Option<&UnitRows> {
        let table = unit.line_program.as_ref()?.header().offset().0;
        if self.by_table.len() >= UNITS && !self.by_table.contains_key(&table) {
            self.by_table.clear();
        }
        let rows = self.by_table.entry(table);
        Some(rows.or_insert_with(|| Arc::new(UnitRows::read(unit))))
    }
}

/// Returns the one of ascending ranges that contains an address.
fn containing<T>(all: &[T], address: u64, range: impl Fn(&T) -> &Range<u64>) -> Option<&T> {
    let after = all.partition_point(|one| range(one).start <= address);
    let last = after.checked_sub(1).and_then(|before| all.get(before));
    last.filter(|one| range(one).contains(&address))
}

impl UnitRows {
    fn read(unit: UnitRef<'_, SectionReader>) -> Self {
        let mut found = Self::default();
        let (mut row, mut shown): (Option<Range<u64>>, Option<TableRow>) = (None, None);
        for group in RowGroups::of_unit(unit).into_iter().flatten() {
            shown = match group.is_of_line_before() {
                true => shown.or(Some(group.last)),
                false => group.rows.last().copied(),
            };
            if let Some(row) = shown.filter(|row| *row != group.last) {
                found.shown.push((group.code.clone(), row));
            }
            match &mut row {
                Some(row) if group.is_continued && row.end == group.code.start => {
                    let is_new = found.continued.last() != Some(row);
                    row.end = group.code.end;
                    match found.continued.last_mut().filter(|_| !is_new) {
                        Some(last) => last.end = row.end,
                        None => found.continued.push(row.clone()),
                    }
                }
                _ => row = Some(group.code.clone()),
            }
            if !shown.is_some_and(|row| row.is_statement) {
                found.others.push(group.code);
            }
            let counts = [&found.others, &found.continued].map(Vec::len);
            if counts.into_iter().max().max(Some(found.shown.len())) >= Some(RANGES) {
                break;
            }
        }
        found.others.sort_unstable_by_key(|range| range.start);
        found.continued.sort_unstable_by_key(|range| range.start);
        found.shown.sort_unstable_by_key(|(range, _)| range.start);
        found
    }
}
