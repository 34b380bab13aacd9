//! A slice as far as it is known.

use std::collections::HashMap;
use std::sync::Arc;

use stepback_index::{CallId, Cell, ValueSource};

use super::line_words::LineWords;
use super::row::{SliceListRow, WhyQuery};
use crate::analysis::slice::{LineKind, LoopSummary, ReadingLine, RowId, SliceReading};
use crate::messages::say;
use crate::notes::SliceQuery;

/// Why a cell has its value, or where that went, as far as it is known.
#[derive(Clone, Debug)]
pub struct Slice {
    /// What was asked.
    pub question: SliceQuery,
    /// What that means.
    pub subject: SliceSubject,
    /// How its steps are read.
    pub reading: Arc<SliceReading>,
    /// Its steps by their places in the reading.
    pub rows: Vec<Arc<SliceListRow>>,
    /// The ends of its chains by their numbers.
    pub ends: Vec<Arc<SliceListRow>>,
    /// What the lines of the reading say.
    pub words: Arc<ReadingWords>,
    /// The positions behind its steps, ascending, each once.
    pub positions: Arc<[u64]>,
    /// Whether it goes on.
    pub end: SliceProgress,
    /// The rest of the trace was not indexed yet when it was followed: it is what is known so far.
    pub is_of_part: bool,
}

/// What the lines of a reading say.
#[derive(Clone, Debug, Default)]
pub struct ReadingWords {
    /// Of the steps that have lines, by their places.
    pub steps: Vec<LineWords>,
    /// Of the heads of calls.
    pub calls: HashMap<Option<CallId>, String>,
}

/// The cell that a slice is of, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceSubject {
    /// Which.
    pub cell: Cell,
    /// As it is shown.
    pub label: String,
    /// Its value in hex; none where nothing is known of it.
    pub value: Option<String>,
    /// What the value is known from.
    pub source: ValueSource,
}

/// How far a slice goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceProgress {
    /// It is still being followed.
    UnderWay,
    /// All of its chains have ended.
    Whole,
    /// There are as many steps as were wanted, and so many cells are still to be gone into.
    Limit(usize),
    /// The user ended it.
    Stopped,
}

/// What a line tells of.
#[derive(Clone, Copy, Debug)]
pub enum SliceLineContent<'a> {
    /// The head of the steps of a call.
    Call(&'a str),
    /// A step with all that its line stands for.
    Line {
        /// The step.
        row: &'a SliceListRow,
        /// What the line says.
        words: &'a LineWords,
    },
    /// The same where that stands in another line already.
    Again(&'a SliceListRow, &'a LineWords),
    /// A step by itself, and the ends of chains at it.
    Alone(&'a SliceListRow, RowId),
    /// The end of a chain.
    End(&'a SliceListRow),
    /// Rounds of a loop that are made like the lines above, and the oldest step of them.
    Rounds(&'a SliceListRow, LoopSummary),
}

impl Slice {
    /// How many steps it has so far.
    pub fn step_count(&self) -> u64 {
        self.rows.len() as u64
    }

    /// The positions behind some steps.
    pub fn positions_of(rows: &[Arc<SliceListRow>]) -> Arc<[u64]> {
        let mut positions: Vec<u64> = rows
            .iter()
            .filter_map(|row| Some(row.step?.after().0))
            .collect();
        positions.sort_unstable();
        positions.dedup();
        positions.into()
    }

    /// The row of a step by its place.
    pub fn row(&self, id: RowId) -> Option<&SliceListRow> {
        self.rows.get(usize::try_from(id.0).ok()?).map(|row| &**row)
    }

    /// What a line tells of.
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

    /// The ends of chains at a step.
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

    /// What may be asked on from a line: why of what its step takes in.
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
    /// What the line says of its step: the expression, the instruction, how the chain ends, or the call.
    pub fn text(&self) -> String {
        match self {
            SliceLineContent::Call(text) => (*text).to_owned(),
            // As the list of steps shows it: with symbols for addresses.
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

    /// What it says of the value.
    pub fn value(&self) -> String {
        match self {
            SliceLineContent::Call(_) | SliceLineContent::Rounds(..) => String::new(),
            SliceLineContent::Line { words, .. } | SliceLineContent::Again(_, words) => {
                words.value.clone()
            }
            SliceLineContent::Alone(row, _) | SliceLineContent::End(row) => row.gives_text(),
        }
    }

    /// The row that it is about; none for the head of a call.
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
