//! A slice as far as it is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use stepback_index::{Cell, ValueSource};
use stepback_parsers::{Position, Step};

use super::row::{Asked, WhyRow};
use crate::notes::SliceQuestion;

/// Why a cell has its value, as far as that is known.
#[derive(Clone, Debug)]
pub struct Slice {
    /// What was asked.
    pub question: SliceQuestion,
    /// What that means.
    pub subject: Subject,
    /// The newest step first, each step once, and where chains end.
    pub rows: Vec<Arc<WhyRow>>,
    /// The rows that a step wants, in their order; under none those that the question asks for.
    pub inputs: BTreeMap<Option<Step>, Vec<usize>>,
    /// The positions behind its steps, ascending, each once.
    pub positions: Arc<[u64]>,
    /// Whether it goes on.
    pub end: SliceEnd,
}

/// The cell that a slice is of, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
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
pub enum SliceEnd {
    /// It is still being followed.
    UnderWay,
    /// All of its chains have ended.
    Whole,
    /// There are as many steps as were wanted, and so many cells are still to be gone into.
    Limit(usize),
    /// The user ended it.
    Stopped,
}

impl Slice {
    /// One of a question with its rows.
    pub fn new(question: SliceQuestion, subject: Subject, rows: Vec<Arc<WhyRow>>, end: SliceEnd) -> Self {
        let mut inputs = BTreeMap::<Option<Step>, Vec<usize>>::new();
        for (place, row) in rows.iter().enumerate() {
            for step in &row.wanted_by {
                inputs.entry(*step).or_default().push(place);
            }
        }
        let mut positions: Vec<u64> = rows.iter().filter_map(|row| Some(row.step?.after().0)).collect();
        positions.sort_unstable();
        positions.dedup();
        Self { question, subject, rows, inputs, positions: positions.into(), end }
    }

    /// How many steps it has so far.
    pub fn step_count(&self) -> u64 {
        self.positions.len() as u64
    }

    /// The rows that a step wants; none: the question.
    pub fn inputs_of(&self, step: Option<Step>) -> &[usize] {
        self.inputs.get(&step).map(Vec::as_slice).unwrap_or_default()
    }

    /// The row that shows right behind a position's last step; none where that is no step of the slice.
    pub fn row_at(&self, position: Position) -> Option<usize> {
        let step = position.last_step()?;
        let place = self.rows.iter().position(|row| row.step == Some(step))?;
        Some(place)
    }

    /// What may be asked on from a row: why of what it gave, then of what it takes in.
    pub fn questions_of(&self, row: &WhyRow) -> Vec<Asked<'_>> {
        let Some(step) = row.step else { return Vec::new() };
        let inputs = self.inputs_of(Some(step)).iter().filter_map(|place| self.rows.get(*place));
        inputs.flat_map(|input| input.gives.iter().map(|given| Asked { given, at: step.before() })).collect()
    }
}
