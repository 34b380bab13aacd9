//! A slice, possibly still incomplete.

use std::collections::HashMap;
use std::sync::Arc;

use stepback_index::{CallId, Cell, ValueSource};

use super::line_words::LineWords;
use super::row::{SliceListRow, WhyQuery};
use crate::analysis::slice::{LineKind, LoopSummary, ReadingLine, RowId, SliceReading};
use crate::messages::say;
use crate::notes::SliceQuery;

/// Origin of a cell's value, or its uses, as known until now.
#[derive(Clone, Debug)]
pub struct Slice {
    pub question: SliceQuery,
    /// Resolved cell of the query.
    pub subject: SliceSubject,
    /// Structure of the lines.
    pub reading: Arc<SliceReading>,
    /// Steps, by index in the reading.
    pub rows: Vec<Arc<SliceListRow>>,
    /// Ends of the chains, by number.
    pub ends: Vec<Arc<SliceListRow>>,
    /// Texts of the lines.
    pub words: Arc<ReadingWords>,
    /// Positions after the steps, ascending and unique.
    pub positions: Arc<[u64]>,
    pub end: SliceProgress,
    /// The slice was computed before the whole trace was indexed, so it may be incomplete.
    pub is_of_part: bool,
}

/// Texts of the lines of a reading.
#[derive(Clone, Debug, Default)]
pub struct ReadingWords {
    /// Texts of the steps with lines, by index.
    pub steps: Vec<LineWords>,
    /// Titles of calls.
    pub calls: HashMap<Option<CallId>, String>,
}

/// Cell that a slice starts from, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceSubject {
    pub cell: Cell,
    /// Displayed name of the cell.
    pub label: String,
    /// Value in hex; none if it is unknown.
    pub value: Option<String>,
    /// Provenance of the value.
    pub source: ValueSource,
}

/// State of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceProgress {
    /// The walk is still running.
    UnderWay,
    /// All chains have ended.
    Whole,
    /// The limit of steps was reached; this number of cells is still to be followed.
    Limit(usize),
    /// The user stopped the walk.
    Stopped,
}

/// Content of a line.
#[derive(Clone, Copy, Debug)]
pub enum SliceLineContent<'a> {
    /// Title of the steps of a call.
    Call(&'a str),
    /// Step with everything that its line summarises.
    Line {
        row: &'a SliceListRow,
        /// Text of the line.
        words: &'a LineWords,
    },
    /// Step that the tree already shows unfolded above.
    Again(&'a SliceListRow, &'a LineWords),
    /// Single step, and the ends of chains at it.
    Alone(&'a SliceListRow, RowId),
    /// End of a chain.
    End(&'a SliceListRow),
    /// Iterations of a loop that repeat the lines above; the row is their oldest step.
    Rounds(&'a SliceListRow, LoopSummary),
}

impl Slice {
    /// Returns the number of steps found until now.
    pub fn step_count(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Returns the positions after some steps, ascending and unique.
    pub fn positions_of(rows: &[Arc<SliceListRow>]) -> Arc<[u64]> {
        let mut positions: Vec<u64> = rows
            .iter()
            .filter_map(|row| Some(row.step?.after().0))
            .collect();
        positions.sort_unstable();
        positions.dedup();
        positions.into()
    }

    /// Returns the row of a step by index.
    pub fn row(&self, id: RowId) -> Option<&SliceListRow> {
        self.rows.get(usize::try_from(id.0).ok()?).map(|row| &**row)
    }

    /// Returns the content of a line.
    pub fn told(&self, line: &ReadingLine) -> Option<SliceLineContent<'_>> {
        let words = |id: RowId| self.words.steps.get(usize::try_from(id.0).ok()?);
        Some(match line.kind {
            LineKind::Call { call, .. } => {
                SliceLineContent::Call(self.words.calls.get(&call).map_or("", String::as_str))
            }
            LineKind::Step(id) => SliceLineContent::Line {
                row: self.row(id)?,
                words: words(id)?,
            },
            LineKind::Again(id) => SliceLineContent::Again(self.row(id)?, words(id)?),
            LineKind::Alone(id) => SliceLineContent::Alone(self.row(id)?, id),
            LineKind::End(number) => SliceLineContent::End(self.ends.get(number)?),
            LineKind::Rounds(rounds) => SliceLineContent::Rounds(self.row(rounds.last)?, rounds),
        })
    }

    /// Iterates over the ends of chains at a step.
    pub fn ends_of(&self, id: RowId) -> impl Iterator<Item = &SliceListRow> {
        let numbers = self
            .reading
            .row(id)
            .map(|row| row.ends.as_slice())
            .unwrap_or_default();
        numbers
            .iter()
            .filter_map(|number| self.ends.get(*number))
            .map(|end| &**end)
    }

    /// Returns the follow-up queries of a line: the reasons for the inputs of its step.
    pub fn questions_of(&self, line: &ReadingLine) -> Vec<WhyQuery<'_>> {
        let inputs = match line.kind {
            LineKind::Step(id) | LineKind::Again(id) => self.reading.inputs_of(id),
            LineKind::Alone(id) => self
                .reading
                .row(id)
                .map(|row| row.inputs.clone())
                .unwrap_or_default(),
            LineKind::Call { .. } | LineKind::End(_) | LineKind::Rounds(_) => Vec::new(),
        };
        let rows = inputs.into_iter().filter_map(|id| self.row(id));
        let with_place = rows.filter_map(|row| Some((row, row.step?.after())));
        with_place
            .flat_map(|(row, at)| row.gives.iter().map(move |given| WhyQuery { given, at }))
            .collect()
    }
}

impl SliceLineContent<'_> {
    /// Returns the main text of the line: the expression, the instruction, the end of the chain, or
    /// the call.
    pub fn text(&self) -> String {
        match self {
            SliceLineContent::Call(text) => (*text).to_owned(),
            // Use the list's disassembly, which has symbols for addresses.
            SliceLineContent::Line { row, words } | SliceLineContent::Again(row, words)
                if words.is_code =>
            {
                row.code_text()
            }
            SliceLineContent::Line { words, .. } | SliceLineContent::Again(_, words) => {
                words.text.clone()
            }
            SliceLineContent::Alone(row, _) | SliceLineContent::End(row) => row.code_text(),
            SliceLineContent::Rounds(row, rounds) => {
                let last = row.step.map_or(0, |step| step.0);
                say!(
                    "slice-rounds",
                    count = rounds.count,
                    rows = rounds.rows,
                    step = last
                )
            }
        }
    }

    /// Returns the value part of the line.
    pub fn value(&self) -> String {
        match self {
            SliceLineContent::Call(_) | SliceLineContent::Rounds(..) => String::new(),
            SliceLineContent::Line { words, .. } | SliceLineContent::Again(_, words) => {
                words.value.clone()
            }
            SliceLineContent::Alone(row, _) | SliceLineContent::End(row) => row.gives_text(),
        }
    }

    /// Returns the row of the line; none for the title of a call.
    pub fn row(&self) -> Option<&SliceListRow> {
        match self {
            SliceLineContent::Call(_) => None,
            SliceLineContent::Line { row, .. }
            | SliceLineContent::Again(row, _)
            | SliceLineContent::Alone(row, _)
            | SliceLineContent::End(row) => Some(row),
            SliceLineContent::Rounds(row, _) => Some(row),
        }
    }
}
