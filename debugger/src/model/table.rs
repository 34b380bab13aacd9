//! Table of query results with columns: accesses, heap blocks, pages.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use stepback_index::answer::ThreadId;
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::table_groups::TableGroup;
use super::{TextRole, TextSpan};
use crate::messages::{find, in_english, say};
use crate::session::Session;

/// Maximum number of rows; nobody reads longer tables.
pub const ROWS: usize = 10_000;

/// Table with its columns, rows and groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Description of the content, its size, and omissions.
    pub summary: String,
    /// Columns, from the left.
    pub columns: Vec<TableColumn>,
    /// Rows, at most [`ROWS`].
    pub rows: Vec<TableRow>,
    /// Columns dropped if space is short, the first of them first.
    pub spare: Vec<usize>,
    /// Groups of rows, in order; empty if the table is not grouped.
    pub groups: Vec<TableGroup>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Message id of the title; it identifies the column.
    pub id: &'static str,
    /// English name, used in files.
    pub name: &'static str,
    /// Localised title.
    pub label: &'static str,
    /// Length in characters of the longest text in the column or its title.
    pub characters: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRow {
    /// Name for screen readers and tests.
    pub name: String,
    /// Number by which the producer of the rows finds the subject of a row.
    pub key: u64,
    /// Cells, one per column.
    pub cells: Vec<TableCell>,
    /// Position that a click travels to.
    pub position: Option<Position>,
    /// Memory address that the row is about.
    pub address: Option<Address>,
    /// Dims the row, such as a block that is not allocated at the position.
    pub is_faded: bool,
    /// Sorts the row after all others in every order.
    pub is_last: bool,
}

/// Filter, order and open groups of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableArrangement {
    /// Text that rows must contain, case-insensitive; empty for all rows.
    pub filter: String,
    /// Column to sort by, from the left; none for the original order.
    pub column: Option<usize>,
    /// English name of that column. Other tables may have it at another index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column_name: Option<String>,
    /// Sorts in descending order.
    pub is_falling: bool,
    /// Keys of the open groups.
    #[serde(skip)]
    pub open: BTreeSet<u64>,
}

impl TableArrangement {
    /// Returns true if all rows are shown in their original order.
    pub fn is_plain(&self) -> bool {
        self.filter.is_empty() && self.column.is_none()
    }

    /// Opens or closes a group.
    pub fn toggle(&mut self, group: u64) {
        if !self.open.remove(&group) {
            self.open.insert(group);
        }
    }

    /// Returns a predicate for the rows that contain the filter text.
    pub(super) fn filter(&self) -> impl Fn(&TableRow) -> bool + use<> {
        let wanted = self.filter.to_lowercase();
        move |row| wanted.is_empty() || row.line().to_lowercase().contains(&wanted)
    }

    /// Returns the indices of rows in sorted order.
    pub(super) fn order(&self, rows: &[&TableRow]) -> Vec<usize> {
        let mut places: Vec<usize> = (0..rows.len()).collect();
        if let Some(column) = self.column {
            let rank = |place: usize| rows.get(place)?.cells.get(column).map(TableCell::rank);
            let is_last = |place: usize| rows.get(place).is_some_and(|row| row.is_last);
            places.sort_by(|one, other| {
                let order = rank(*one).cmp(&rank(*other));
                let order = if self.is_falling {
                    order.reverse()
                } else {
                    order
                };
                is_last(*one).cmp(&is_last(*other)).then(order)
            });
        }
        places
    }

    /// Sorts by a column, numbers in descending order. A second call for the same column reverses
    /// the order; a third one restores the original order.
    pub fn sort_by(&mut self, column: usize, table: &Table) {
        let is_falling = table.is_counted(column);
        match self.column == Some(column) {
            true if self.is_falling != is_falling => return self.leave_order(),
            true => self.is_falling = !is_falling,
            false => self.is_falling = is_falling,
        }
        self.column = Some(column);
        self.column_name = table
            .columns
            .get(column)
            .map(|column| column.name.to_owned());
    }

    /// Restores the original order of the rows.
    pub fn leave_order(&mut self) {
        (self.column, self.column_name, self.is_falling) = (None, None, false);
    }

    /// Finds the sort column in a table by its name.
    pub(crate) fn find_column(&mut self, table: &Table) {
        if let Some(name) = self
            .column_name
            .as_ref()
            .filter(|_| !table.columns.is_empty())
        {
            self.column = table.columns.iter().position(|column| column.name == name);
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum CellRank<'a> {
    Count(u64),
    Word(Cow<'a, str>),
}

/// Content of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableCell {
    /// Words, or numbers whose digits matter.
    Text(TextSpan),
    /// Count, with its text, aligned right.
    Number(u64, TextSpan),
    /// Words with several roles, sorted by a number if there is one.
    Spans {
        /// Sort key; none to sort by the words.
        number: Option<u64>,
        spans: Vec<TextSpan>,
    },
    /// Step that a click can travel to.
    Step(Step),
    /// Bar relative to the row with the most: loads, stores, maximum.
    Bar(u64, u64, u64),
}

impl Table {
    /// Creates a table whose columns are as wide as their texts. `heads` are message ids; an empty
    /// id is a column without a title.
    pub fn new(summary: String, heads: &[&'static str], rows: Vec<TableRow>) -> Self {
        let longest = |place: usize| {
            let cells = rows.iter().filter_map(|row| row.cells.get(place));
            cells
                .map(|cell| cell.text().chars().count())
                .max()
                .unwrap_or(0)
        };
        let heads = heads.iter().enumerate();
        let columns = heads.map(|(place, id)| {
            let (name, label) = (in_english(id).unwrap_or(id), find(id).unwrap_or(id));
            TableColumn {
                id,
                name,
                label,
                characters: longest(place).max(label.chars().count()),
            }
        });
        let columns = columns.collect();
        Self {
            summary,
            columns,
            rows,
            spare: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Returns the rows that a view shows, in its order. Cost: all rows.
    #[must_use]
    pub fn seen(&self, view: &TableArrangement) -> Self {
        if self.is_grouped() {
            return self.seen_groups(view);
        }
        let is_wanted = view.filter();
        let rows: Vec<&TableRow> = self.rows.iter().filter(|row| is_wanted(row)).collect();
        let rows = view
            .order(&rows)
            .into_iter()
            .filter_map(|place| rows.get(place).map(|row| (*row).clone()));
        Self {
            rows: rows.collect(),
            ..self.clone()
        }
    }

    /// Returns true if a view shows the whole table unchanged. Grouped tables are never unchanged,
    /// because groups are closed until they are opened.
    pub fn is_whole_in(&self, view: &TableArrangement) -> bool {
        view.is_plain() && !self.is_grouped()
    }

    /// Returns true if a column contains numbers, which are sorted in descending order first.
    pub fn is_counted(&self, column: usize) -> bool {
        let first = self.rows.first().and_then(|row| row.cells.get(column));
        matches!(first, Some(TableCell::Number(..) | TableCell::Bar(..)))
    }

    /// Returns the place of the first column with an id.
    pub fn place_of(&self, id: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.id == id)
    }

    /// Returns the number of bytes that a row is about: that of the column of bytes, otherwise 1.
    pub fn bytes_of(&self, row: &TableRow) -> u64 {
        let column = self.place_of("head-bytes");
        match column.and_then(|column| row.cells.get(column)) {
            Some(TableCell::Number(count, _)) => (*count).max(1),
            _ => 1,
        }
    }

    /// Removes the columns of threads if the trace has one thread: they would be the same in each
    /// row.
    #[must_use]
    pub fn without_one_thread(self, session: &Session) -> Self {
        if session.index.threads().len() > 1 {
            self
        } else {
            self.without_columns("head-thread")
        }
    }

    /// Removes the columns with an id.
    #[must_use]
    pub fn without_columns(mut self, id: &str) -> Self {
        while let Some(place) = self.place_of(id) {
            self = self.without(place);
        }
        self
    }

    /// Removes the columns that are empty in every row.
    #[must_use]
    pub fn without_empty(mut self) -> Self {
        let is_empty = |cell: Option<&TableCell>| {
            cell.is_none_or(|cell| cell.spans().iter().all(|span| span.text.is_empty()))
        };
        let is_text = |cell: Option<&TableCell>| cell.is_none_or(TableCell::is_words);
        for place in (0..self.columns.len()).rev() {
            let cells = || self.rows.iter().map(|row| row.cells.get(place));
            if !self.rows.is_empty() && cells().all(is_text) && cells().all(is_empty) {
                self = self.without(place);
            }
        }
        self
    }

    fn without(mut self, place: usize) -> Self {
        self.columns.remove(place);
        let rows = self.rows.iter_mut().filter(|row| place < row.cells.len());
        rows.for_each(|row| drop(row.cells.remove(place)));
        self.spare.retain(|spare| *spare != place);
        self.spare
            .iter_mut()
            .filter(|spare| **spare > place)
            .for_each(|spare| *spare -= 1);
        self
    }
}

impl TableRow {
    /// Formats the row as copied text.
    pub fn line(&self) -> String {
        let cells = self
            .cells
            .iter()
            .map(TableCell::marked_text)
            .filter(|text| !text.is_empty());
        cells.collect::<Vec<_>>().join("  ")
    }
}

impl TableCell {
    /// Creates a cell of text with one role.
    pub fn new(meaning: TextRole, text: impl Into<String>) -> Self {
        Self::Text(TextSpan::new(meaning, text))
    }

    /// Creates a cell of text that is sorted by a number if there is one.
    pub fn ranked(number: Option<u64>, meaning: TextRole, text: impl Into<String>) -> Self {
        Self::Spans {
            number,
            spans: vec![TextSpan::new(meaning, text)],
        }
    }

    /// Returns the words with their roles; empty for a step or a bar.
    pub fn spans(&self) -> &[TextSpan] {
        match self {
            Self::Text(span) | Self::Number(_, span) => std::slice::from_ref(span),
            Self::Spans { spans, .. } => spans,
            Self::Step(_) | Self::Bar(..) => &[],
        }
    }

    /// Creates a cell for a count.
    pub fn number(count: u64) -> Self {
        Self::Number(
            count,
            TextSpan::new(TextRole::Number, super::text::thousands(count)),
        )
    }

    /// Creates a cell for a step; none means the time before the first one.
    pub fn step(step: Option<Step>) -> Self {
        step.map_or_else(
            || Self::new(TextRole::Second, say!("table-the-start")),
            Self::Step,
        )
    }

    /// Returns the sort key of the cell.
    fn rank(&self) -> CellRank<'_> {
        match self {
            Self::Text(span) => CellRank::Word(Cow::Borrowed(&span.text)),
            Self::Spans {
                number: Some(number),
                ..
            } => CellRank::Count(*number),
            Self::Spans { number: None, .. } => CellRank::Word(Cow::Owned(self.text())),
            Self::Number(count, _) => CellRank::Count(*count),
            Self::Step(step) => CellRank::Count(step.0),
            Self::Bar(one, other, _) => CellRank::Count(one.saturating_add(*other)),
        }
    }

    /// Returns the provenance of the value if the trace does not state it directly.
    pub fn doubt(&self) -> Option<&'static str> {
        let doubt = |span: &TextSpan| match span.meaning {
            TextRole::Inferred => Some("inferred"),
            TextRole::External => Some("external"),
            _ => None,
        };
        match self {
            Self::Text(_) | Self::Spans { .. } => self.spans().iter().find_map(doubt),
            Self::Number(..) | Self::Step(_) | Self::Bar(..) => None,
        }
    }

    /// Formats the cell as copied text, with the provenance of values that are not facts.
    fn marked_text(&self) -> String {
        match self.doubt() {
            Some(doubt) => format!("{} ({doubt})", self.text()),
            None => self.text(),
        }
    }

    /// Returns true for words, which can be cut without becoming another value.
    pub fn is_words(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Spans { .. })
    }

    /// Returns the text as shown.
    pub fn text(&self) -> String {
        match self {
            Self::Step(step) => super::text::thousands(step.0),
            words => words
                .spans()
                .iter()
                .map(|span| span.text.as_str())
                .collect(),
        }
    }
}

impl Default for TableCell {
    /// Creates an empty cell.
    fn default() -> Self {
        Self::Text(TextSpan::default())
    }
}

pub fn thread_name(session: &Session, thread: ThreadId) -> String {
    session
        .index
        .threads()
        .get(usize::from(thread.0))
        .map(|thread| thread.name.clone())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_shows_rows_that_hold_its_text_in_order_of_its_column() {
        let row = |name: &str, count: u64| TableRow {
            name: name.to_owned(),
            cells: vec![
                TableCell::new(TextRole::Symbol, name),
                TableCell::number(count),
            ],
            ..TableRow::default()
        };
        let table = Table::new(
            String::new(),
            &["Name", "Count"],
            vec![row("b", 9), row("ab", 1000), row("c", 20)],
        );
        let names = |filter: &str, column, is_falling| -> Vec<String> {
            let view = TableArrangement {
                filter: filter.to_owned(),
                column,
                is_falling,
                ..TableArrangement::default()
            };
            table
                .seen(&view)
                .rows
                .into_iter()
                .map(|row| row.name)
                .collect()
        };
        assert_eq!(names("", None, true), ["b", "ab", "c"]);
        assert_eq!(names("", Some(1), true), ["ab", "c", "b"]);
        assert_eq!(names("", Some(1), false), ["b", "c", "ab"]);
        assert_eq!(names("B", Some(0), false), ["ab", "b"]);
        assert_eq!(
            (
                table.is_counted(0),
                table.is_counted(1),
                table.is_counted(2)
            ),
            (false, true, false)
        );
    }

    #[test]
    fn a_third_click_brings_the_first_order_back() {
        let row = |name: &str, count: u64| TableRow {
            cells: vec![
                TableCell::new(TextRole::Symbol, name),
                TableCell::number(count),
            ],
            ..TableRow::default()
        };
        let table = Table::new(
            String::new(),
            &["Name", "Count"],
            vec![row("b", 9), row("ab", 1000), row("c", 20)],
        );
        let mut view = TableArrangement::default();
        let mut click = |column| {
            view.sort_by(column, &table);
            (view.column, view.is_falling)
        };
        assert_eq!(
            [click(0), click(0), click(0)],
            [(Some(0), false), (Some(0), true), (None, false)]
        );
        assert_eq!(
            [click(1), click(1), click(1)],
            [(Some(1), true), (Some(1), false), (None, false)]
        );
    }

    #[test]
    fn an_order_goes_along_with_its_column_to_other_tables() {
        let rows = || {
            vec![TableRow {
                cells: vec![TableCell::number(1), TableCell::number(2)],
                ..TableRow::default()
            }]
        };
        let mut view = TableArrangement::default();
        view.sort_by(1, &Table::new(String::new(), &["Name", "Count"], rows()));
        for (heads, column) in [
            (["Count", "Name"], Some(0)),
            (["Name", "Bytes"], None),
            (["Name", "Count"], Some(1)),
        ] {
            view.find_column(&Table::new(String::new(), &heads, rows()));
            assert_eq!(view.column, column, "{heads:?}");
        }
    }
}
