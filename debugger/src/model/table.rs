//! A list of what was found in a trace, with columns: accesses, blocks of the heap, pages.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use stepback_index::ThreadId;
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::table_groups::TableGroup;
use super::{TextRole, TextSpan};
use crate::messages::{find, in_english, say};
use crate::session::Session;

/// More rows are no list that anybody reads.
pub const ROWS: usize = 10_000;

/// The list, ready to be painted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What is listed, how much of it, and what is left out.
    pub summary: String,
    /// From the left.
    pub columns: Vec<TableColumn>,
    /// At most [`ROWS`].
    pub rows: Vec<TableRow>,
    /// The columns that are left out where there is no room for all, the first of them first.
    pub spare: Vec<usize>,
    /// Rows that belong together, in their order; empty where each stands alone.
    pub groups: Vec<TableGroup>,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// What files call it, in English.
    pub name: &'static str,
    /// What its head says.
    pub label: &'static str,
    /// The longest text in it or in its head.
    pub characters: usize,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRow {
    /// Its name for screen readers and tests.
    pub name: String,
    /// Number by which the source of the rows finds what a row is about.
    pub key: u64,
    /// One for each column.
    pub cells: Vec<TableCell>,
    /// Where a click travels to.
    pub position: Option<Position>,
    /// The memory that it is about.
    pub address: Option<Address>,
    /// It steps back: a block that is not allocated at the position.
    pub is_faded: bool,
    /// It comes after the others in every order.
    pub is_last: bool,
}

/// What of a table is shown, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableArrangement {
    /// Rows that hold this text, in any case; all where it is empty.
    pub filter: String,
    /// By which column, from the left; none: as they were found.
    pub column: Option<usize>,
    /// English name of that column: tables of other traces may have it elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column_name: Option<String>,
    /// The highest first.
    pub is_falling: bool,
    /// The groups whose rows are listed, by their keys.
    #[serde(skip)]
    pub open: BTreeSet<u64>,
}

impl TableArrangement {
    /// Whether it shows all rows as they were found.
    pub fn is_plain(&self) -> bool {
        self.filter.is_empty() && self.column.is_none()
    }

    /// Opens a group, or closes it.
    pub fn toggle(&mut self, group: u64) {
        if !self.open.remove(&group) {
            self.open.insert(group);
        }
    }

    /// Tells which rows hold the text.
    pub(super) fn filter(&self) -> impl Fn(&TableRow) -> bool + use<> {
        let wanted = self.filter.to_lowercase();
        move |row| wanted.is_empty() || row.line().to_lowercase().contains(&wanted)
    }

    /// The places of rows in the order that is wanted.
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

    /// Puts rows in the order of a column, the highest first where it has numbers; a second time in reverse order;
    /// a third time in the order in which they were found.
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

    /// Shows the rows in the order in which they were found.
    pub fn leave_order(&mut self) {
        (self.column, self.column_name, self.is_falling) = (None, None, false);
    }

    /// Finds the column of the order in a table.
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

/// What stands in a column of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableCell {
    /// Words, and numbers whose digits matter.
    Text(TextSpan),
    /// How many, as a text that stands at the right.
    Number(u64, TextSpan),
    /// Words of several meanings, in the order of a number where there is one.
    Spans {
        /// Rank of the cell in its column; none: the order of the words.
        number: Option<u64>,
        /// The words.
        spans: Vec<TextSpan>,
    },
    /// A step that can be travelled to.
    Step(Step),
    /// How much of something in relation to the row that has most: loads, stores, most.
    Bar(u64, u64, u64),
}

impl Table {
    /// The columns become as wide as their texts. `heads`: their ids in the table of messages; empty for none.
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

    /// The rows that a view shows, in its order. Cost: all rows.
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

    /// Whether a view shows all of it as it is. Groups are closed until they are opened.
    pub fn is_whole_in(&self, view: &TableArrangement) -> bool {
        view.is_plain() && !self.is_grouped()
    }

    /// True when a column has numbers, whose highest are looked for first.
    pub fn is_counted(&self, column: usize) -> bool {
        let first = self.rows.first().and_then(|row| row.cells.get(column));
        matches!(first, Some(TableCell::Number(..) | TableCell::Bar(..)))
    }

    /// Number of bytes of memory that a row is about: that of its column, else one.
    pub fn bytes_of(&self, row: &TableRow) -> u64 {
        let column = self
            .columns
            .iter()
            .position(|column| column.name == "Bytes");
        match column.and_then(|column| row.cells.get(column)) {
            Some(TableCell::Number(count, _)) => (*count).max(1),
            _ => 1,
        }
    }

    /// Without the columns `Thread` where there is one: they would say the same in each row.
    #[must_use]
    pub fn without_one_thread(self, session: &Session) -> Self {
        if session.index.threads().len() > 1 {
            self
        } else {
            self.without_named("Thread")
        }
    }

    /// Without the columns of a name.
    #[must_use]
    pub fn without_named(mut self, name: &str) -> Self {
        for place in (0..self.columns.len()).rev() {
            if self
                .columns
                .get(place)
                .is_some_and(|column| column.name == name)
            {
                self = self.without(place);
            }
        }
        self
    }

    /// Without the columns in which no row has anything.
    #[must_use]
    pub fn without_empty(mut self) -> Self {
        let is_empty = |cell: Option<&TableCell>| {
            cell.is_none_or(|cell| cell.spans().iter().all(|span| span.text.is_empty()))
        };
        let is_text = |cell: Option<&TableCell>| {
            matches!(
                cell,
                None | Some(TableCell::Text(_) | TableCell::Spans { .. })
            )
        };
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
    /// As it is copied.
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
    /// Text with a meaning.
    pub fn new(meaning: TextRole, text: impl Into<String>) -> Self {
        Self::Text(TextSpan::new(meaning, text))
    }

    /// Text in the order of a number where there is one.
    pub fn ranked(number: Option<u64>, meaning: TextRole, text: impl Into<String>) -> Self {
        Self::Spans {
            number,
            spans: vec![TextSpan::new(meaning, text)],
        }
    }

    /// Its words with their meanings; none for a step or a bar.
    pub fn spans(&self) -> &[TextSpan] {
        match self {
            Self::Text(span) | Self::Number(_, span) => std::slice::from_ref(span),
            Self::Spans { spans, .. } => spans,
            Self::Step(_) | Self::Bar(..) => &[],
        }
    }

    /// How many.
    pub fn number(count: u64) -> Self {
        Self::Number(
            count,
            TextSpan::new(TextRole::Number, super::text::thousands(count)),
        )
    }

    /// A step; none: before the first.
    pub fn step(step: Option<Step>) -> Self {
        step.map_or_else(
            || Self::new(TextRole::Second, say!("table-the-start")),
            Self::Step,
        )
    }

    /// By what rows are put in order.
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

    /// What makes a value less than a fact of the trace.
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

    /// As it is copied: a guess is no fact there either.
    fn marked_text(&self) -> String {
        match self.doubt() {
            Some(doubt) => format!("{} ({doubt})", self.text()),
            None => self.text(),
        }
    }

    /// As it is shown.
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
    /// Nothing.
    fn default() -> Self {
        Self::Text(TextSpan::default())
    }
}

/// A thread by its name.
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
