//! A list of what was found in a trace, with columns: accesses, blocks of the heap, pages.

use stepback_index::ThreadId;
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::{Meaning, Span};
use crate::session::Session;

/// More rows are no list that anybody reads.
pub const ROWS: usize = 10_000;

/// The list, ready to be painted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What is listed, how much of it, and what is left out.
    pub summary: String,
    /// From the left.
    pub columns: Vec<Column>,
    /// At most [`ROWS`].
    pub rows: Vec<TableRow>,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// What its head says.
    pub name: &'static str,
    /// The longest text in it or in its head.
    pub characters: usize,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRow {
    /// Its name for screen readers and tests.
    pub name: String,
    /// One for each column.
    pub cells: Vec<TableCell>,
    /// Where a click travels to.
    pub position: Option<Position>,
    /// The memory that it is about.
    pub address: Option<Address>,
    /// It steps back: a block that is not allocated at the position.
    pub is_faded: bool,
}

/// What stands in a column of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableCell {
    /// Words or numbers.
    Text(Span),
    /// A step that can be travelled to.
    Step(Step),
    /// How much of something in relation to the row that has most: loads, stores, most.
    Bar(u64, u64, u64),
}

impl Table {
    /// The columns become as wide as their texts.
    pub fn new(summary: String, heads: &[&'static str], rows: Vec<TableRow>) -> Self {
        let longest = |place: usize| {
            let cells = rows.iter().filter_map(|row| row.cells.get(place));
            cells.map(|cell| cell.text().chars().count()).max().unwrap_or(0)
        };
        let heads = heads.iter().enumerate();
        let columns = heads.map(|(place, name)| Column { name, characters: longest(place).max(name.len()) }).collect();
        Self { summary, columns, rows }
    }

    /// Without the columns `Thread` where there is one: they would say the same in each row.
    pub fn without_one_thread(mut self, session: &Session) -> Self {
        if session.index.threads().len() > 1 {
            return self;
        }
        for place in (0..self.columns.len()).rev() {
            if self.columns.get(place).is_some_and(|column| column.name == "Thread") {
                self.columns.remove(place);
                self.rows
                    .iter_mut()
                    .filter(|row| place < row.cells.len())
                    .for_each(|row| drop(row.cells.remove(place)));
            }
        }
        self
    }
}

impl TableRow {
    /// As it is copied.
    pub fn line(&self) -> String {
        let cells = self.cells.iter().map(TableCell::text).filter(|text| !text.is_empty());
        cells.collect::<Vec<_>>().join("  ")
    }
}

impl TableCell {
    /// Text with a meaning.
    pub fn new(meaning: Meaning, text: impl Into<String>) -> Self {
        Self::Text(Span::new(meaning, text))
    }

    /// A step; none: before the first.
    pub fn step(step: Option<Step>) -> Self {
        step.map_or_else(|| Self::new(Meaning::Second, "the start"), Self::Step)
    }

    /// As it is copied.
    pub fn text(&self) -> String {
        match self {
            Self::Text(span) => span.text.clone(),
            Self::Step(step) => super::text::thousands(step.0),
            Self::Bar(..) => String::new(),
        }
    }
}

impl Default for TableCell {
    /// Nothing.
    fn default() -> Self {
        Self::Text(Span::default())
    }
}

/// A thread by its name.
pub fn thread_name(session: &Session, thread: ThreadId) -> String {
    session.index.threads().get(usize::from(thread.0)).map(|thread| thread.name.clone()).unwrap_or_default()
}
