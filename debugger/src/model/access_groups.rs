//! Groups accesses or executions by call stack while a worker finds them.

use anyhow::Result;
use stepback_index::answer::Hit;
use stepback_machine::Address;

use super::TextRole;
use super::access_rows::AccessRowBuilder;
use super::names::function_name;
use super::table::{ROWS, Table, TableCell, TableRow};
use super::table_groups::TableGroup;
use crate::analysis::stack_groups::{GroupKey, StackGroup, StackGroups};
use crate::messages::say;
use crate::session::Session;

/// Maximum number of hits listed below a stack; further ones are only counted.
const LISTED: usize = 1000;
/// Maximum number of functions named in a stack.
const NAMED: usize = 24;
/// Columns dropped first when space is short, because the stacks are wide.
const SPARE: [&str; 4] = ["head-bytes", "head-address", "head-before", "head-effects"];
/// Number of leading columns of a hit, before those that depend on the kind of list: the step.
const BEFORE: usize = 1;
/// Number of trailing columns that every list has: code, caller, instruction.
const AFTER: usize = 3;

/// Hits grouped by call stack. Memory is bounded by the number of distinct stacks and [`ROWS`]
/// rows.
#[derive(Default)]
pub struct AccessGroups {
    groups: StackGroups,
    /// Rows of each group.
    rows: Vec<Vec<TableRow>>,
    /// Total number of rows in `rows`.
    listed: usize,
}

impl AccessGroups {
    /// Counts a hit and adds a row for it unless its group or the table is full.
    ///
    /// # Errors
    /// See [`stepback_index::QueryError`].
    pub fn take(&mut self, maker: &AccessRowBuilder<'_>, hit: &Hit) -> Result<()> {
        let place = self.groups.take(hit, maker.session.index.calls());
        if self.rows.len() <= place {
            self.rows.resize_with(place + 1, Vec::new);
        }
        if let Some(rows) = self
            .rows
            .get_mut(place)
            .filter(|rows| rows.len() < LISTED && self.listed < ROWS)
        {
            rows.push(below_its_stack(maker.row(hit)?));
            self.listed += 1;
        }
        Ok(())
    }

    /// Returns the number of hits.
    pub fn count(&self) -> u64 {
        self.groups.count()
    }

    /// Returns the number of distinct stacks.
    pub fn stacks(&self) -> usize {
        self.groups.all().len()
    }

    /// Builds a table of the groups found until now, those with the most hits first. `heads` are
    /// the columns of the rows that were built.
    pub fn table(&self, session: &Session, summary: String, heads: &[&'static str]) -> Table {
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        let middle = heads
            .get(BEFORE..heads.len().saturating_sub(AFTER))
            .unwrap_or_default();
        let heads = [
            &["head-count", "head-first", "head-last"][..],
            middle,
            &["head-call-stack"],
        ]
        .concat();
        for (place, group) in self.groups.sorted() {
            let own = self.rows.get(place).map(Vec::as_slice).unwrap_or_default();
            let hidden = group.count.saturating_sub(own.len() as u64);
            let more = (hidden > 0).then(|| more_row(hidden, middle.len()));
            let count = own.len() + usize::from(more.is_some());
            groups.push(TableGroup {
                key: place as u64,
                head: rows.len(),
                rows: count,
                is_open: true,
            });
            rows.push(self.head(session, group, middle.len()));
            rows.extend(own.iter().cloned().chain(more));
        }
        let spare = SPARE
            .iter()
            .filter_map(|name| heads.iter().position(|head| head == name))
            .collect();
        Table {
            groups,
            spare,
            ..Table::new(summary, &heads, rows)
        }
    }

    fn head(&self, session: &Session, group: &StackGroup, middle: usize) -> TableRow {
        let stack = self.stack_text(session, group.key);
        let name = say!("accesses-by-stack", count = group.count, stack = &*stack);
        let first = [
            TableCell::number(group.count),
            TableCell::Step(group.first.0),
            TableCell::Step(group.last.0),
        ];
        let blank = std::iter::repeat_n(TableCell::default(), middle);
        let cells = first
            .into_iter()
            .chain(blank)
            .chain([TableCell::new(TextRole::Symbol, stack)])
            .collect();
        TableRow {
            name,
            cells,
            position: Some(group.first.1),
            ..TableRow::default()
        }
    }

    /// Formats a stack, innermost function first: `decode_field ← open_session ← main`.
    fn stack_text(&self, session: &Session, key: GroupKey) -> String {
        match key {
            GroupKey::NoFrame => return say!("accesses-in-no-call").to_owned(),
            GroupKey::Others => return say!("accesses-in-other-stacks").to_owned(),
            GroupKey::Stack(_) => {}
        }
        let mut functions = self.groups.functions(key);
        let name = |function: Address| function_name(&session.images, function);
        let mut text = functions
            .by_ref()
            .take(NAMED)
            .map(name)
            .collect::<Vec<_>>()
            .join(" ← ");
        let more = functions.count();
        if more > 0 {
            text += &say!("accesses-more-callers", count = more);
        }
        text
    }
}

/// Arranges the columns of a hit below its stack. The caller is dropped because the stack shows it.
fn below_its_stack(row: TableRow) -> TableRow {
    let mut cells = row.cells;
    let after: Vec<TableCell> = cells.split_off(cells.len().saturating_sub(AFTER).max(BEFORE));
    let middle = cells.split_off(BEFORE.min(cells.len()));
    let step = cells.pop().unwrap_or_default();
    let code = [after.first(), after.last()]
        .into_iter()
        .flatten()
        .map(TableCell::text)
        .collect::<Vec<_>>();
    let code = TableCell::new(TextRole::Plain, code.join("  "));
    let first = [TableCell::default(), step, TableCell::default()];
    TableRow {
        cells: first.into_iter().chain(middle).chain([code]).collect(),
        ..row
    }
}

/// Builds the row that counts the hits of a group that are not listed.
fn more_row(hidden: u64, middle: usize) -> TableRow {
    let words = say!("accesses-more-not-listed", count = hidden);
    let mut cells = vec![TableCell::default(); middle + 3];
    cells.push(TableCell::new(TextRole::Label, words.clone()));
    TableRow {
        name: words,
        cells,
        ..TableRow::default()
    }
}
