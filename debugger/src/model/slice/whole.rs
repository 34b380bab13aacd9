//! A slice, possibly still incomplete, with its visible lines and its rows as text.
//!
//! Each published [`Slice`] is immutable and shares the rows of the one before.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use stepback_index::answer::{CallId, Cell, ValueSource};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::action::{CellName, SliceView};
use crate::analysis::slice::{FoldHandle, LineKind, LoopSummary, ReadingLine, RowId, SliceReading};
use crate::messages::say;
use crate::model::TextSpan;
use crate::model::slice::line_words::LineWords;
use crate::notes::SavedSliceQuery;

/// Origin of a cell's value, or its uses, as known until now.
#[derive(Clone, Debug)]
pub struct Slice {
    pub question: SavedSliceQuery,
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
    Repeated(&'a SliceListRow, &'a LineWords),
    /// Single step, and the ends of chains at it.
    SingleStep(&'a SliceListRow, RowId),
    /// End of a chain.
    End(&'a SliceListRow),
    /// Iterations of a loop that repeat the lines above; the row is their oldest step.
    LoopIterations(&'a SliceListRow, LoopSummary),
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
    pub fn stated(&self, line: &ReadingLine) -> Option<SliceLineContent<'_>> {
        let words = |id: RowId| self.words.steps.get(usize::try_from(id.0).ok()?);
        Some(match line.kind {
            LineKind::Call { call, .. } => {
                SliceLineContent::Call(self.words.calls.get(&call).map_or("", String::as_str))
            }
            LineKind::Step(id) => SliceLineContent::Line {
                row: self.row(id)?,
                words: words(id)?,
            },
            LineKind::Repeated(id) => SliceLineContent::Repeated(self.row(id)?, words(id)?),
            LineKind::SingleStep(id) => SliceLineContent::SingleStep(self.row(id)?, id),
            LineKind::End(number) => SliceLineContent::End(self.ends.get(number)?),
            LineKind::LoopIterations(rounds) => {
                SliceLineContent::LoopIterations(self.row(rounds.last)?, rounds)
            }
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

    /// Returns the follow-up queries of a line: why does an input of its step have its value at a
    /// position?
    pub fn questions_of(&self, line: &ReadingLine) -> Vec<(&DefinedCell, Position)> {
        let inputs = match line.kind {
            LineKind::Step(id) | LineKind::Repeated(id) => self.reading.inputs_of(id),
            LineKind::SingleStep(id) => self
                .reading
                .row(id)
                .map(|row| row.inputs.clone())
                .unwrap_or_default(),
            LineKind::Call { .. } | LineKind::End(_) | LineKind::LoopIterations(_) => Vec::new(),
        };
        let rows = inputs.into_iter().filter_map(|id| self.row(id));
        let with_place = rows.filter_map(|row| Some((row, row.step?.after())));
        with_place
            .flat_map(|(row, at)| row.gives.iter().map(move |given| (given, at)))
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
            SliceLineContent::Line { row, words } | SliceLineContent::Repeated(row, words)
                if words.is_code =>
            {
                row.code_text()
            }
            SliceLineContent::Line { words, .. } | SliceLineContent::Repeated(_, words) => {
                words.text.clone()
            }
            SliceLineContent::SingleStep(row, _) | SliceLineContent::End(row) => row.code_text(),
            SliceLineContent::LoopIterations(row, rounds) => {
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
            SliceLineContent::Call(_) | SliceLineContent::LoopIterations(..) => String::new(),
            SliceLineContent::Line { words, .. } | SliceLineContent::Repeated(_, words) => {
                words.value.clone()
            }
            SliceLineContent::SingleStep(row, _) | SliceLineContent::End(row) => row.gives_text(),
        }
    }

    /// Returns the row of the line; none for the title of a call.
    pub fn row(&self) -> Option<&SliceListRow> {
        match self {
            SliceLineContent::Call(_) => None,
            SliceLineContent::Line { row, .. }
            | SliceLineContent::Repeated(row, _)
            | SliceLineContent::SingleStep(row, _)
            | SliceLineContent::End(row) => Some(row),
            SliceLineContent::LoopIterations(row, _) => Some(row),
        }
    }
}

/// Lines with the slice that they belong to.
#[derive(Debug)]
pub struct SliceLines {
    pub slice: Arc<Slice>,
    /// Arrangement of the lines.
    pub view: SliceView,
    /// Lines, from the newest to the oldest.
    pub lines: Vec<ReadingLine>,
    places: HashMap<Step, usize>,
}

impl SliceLines {
    /// Builds the lines; `toggled` contains the nodes that differ from their initial fold state.
    /// Cost: grows with the rows of the slice.
    pub fn new(slice: Arc<Slice>, view: SliceView, toggled: &HashSet<FoldHandle>) -> Self {
        let lines = slice.reading.lines(view, toggled);
        let mut places = HashMap::new();
        for (place, line) in lines.iter().enumerate() {
            let step = line
                .row()
                .and_then(|id| slice.row(id))
                .and_then(|row| row.step);
            // The first line of a step is the most detailed one.
            step.iter()
                .for_each(|step| _ = places.entry(*step).or_insert(place));
        }
        Self {
            slice,
            view,
            lines,
            places,
        }
    }

    /// Returns the index of the first line of a step.
    pub fn place_of(&self, step: Step) -> Option<usize> {
        self.places.get(&step).copied()
    }
}

/// Row of a slice as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceListRow {
    /// Step; none at the end of a chain.
    pub step: Option<Step>,
    /// Thread name; empty if the trace has one thread.
    pub thread: String,
    /// Address of the instruction.
    pub address: Option<Address>,
    /// Address as a function and an offset, or in hex.
    pub place: String,
    /// Name of the function; empty if unknown.
    pub function: String,
    /// Offset from the beginning of the function, if known: `+0x114`.
    pub offset: Option<String>,
    /// Disassembly.
    pub code: Vec<TextSpan>,
    /// Cells that the step defined and the slice needs.
    pub gives: Vec<DefinedCell>,
    /// Reason why the row belongs to the slice.
    pub reason: String,
    /// Description of the chain's end; none for steps.
    pub end: Option<String>,
    /// Reason why the value may come from elsewhere.
    pub doubt: Option<String>,
    /// Steps that need the row, each once; none means the query itself.
    pub wanted_by: Vec<Option<Step>>,
}

/// Cell that a step defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedCell {
    /// Displayed name: `x2`, `[80020015:8]`, `nz`.
    pub label: String,
    /// New value; none if the trace does not record it.
    pub value: Option<String>,
    /// Name of the cell for queries.
    pub cell: CellName,
}

impl SliceListRow {
    /// Returns the position that a click travels to. For a step it is after the step, where its
    /// results are visible. For an end it is before the step that needs it.
    pub fn position(&self) -> Option<Position> {
        let of_end = || {
            self.wanted_by
                .iter()
                .flatten()
                .next_back()
                .map(|step| step.before())
        };
        self.step.map(Step::after).or_else(of_end)
    }

    /// Returns the place of the instruction; only the offset in views whose heads name the
    /// function.
    pub fn place_in(&self, view: SliceView) -> &str {
        match (&self.offset, view) {
            (Some(offset), SliceView::Chain | SliceView::Everything) => offset,
            _ => &self.place,
        }
    }

    /// Formats the defined cells.
    pub fn gives_text(&self) -> String {
        let texts: Vec<String> = self.gives.iter().map(DefinedCell::text).collect();
        texts.join("  ")
    }

    /// Formats the instruction or, for an end, its description.
    pub fn code_text(&self) -> String {
        match &self.end {
            Some(end) => end.clone(),
            None => self.code.iter().map(|span| span.text.as_str()).collect(),
        }
    }

    /// Formats the row as copied text.
    pub fn line(&self) -> String {
        let step = self
            .step
            .map_or_else(|| "-".to_owned(), |step| step.0.to_string());
        let doubt = self.doubt.clone().unwrap_or_default();
        let parts = [
            step,
            self.thread.clone(),
            self.place.clone(),
            self.code_text(),
            self.gives_text(),
        ];
        let parts = parts
            .into_iter()
            .chain([self.reason.clone(), doubt])
            .filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("  ")
    }
}

impl DefinedCell {
    /// Formats cell and value: `x2 = bfb1e598a4e5bda9`; only the cell if its value is unknown.
    pub fn text(&self) -> String {
        match &self.value {
            Some(value) => format!("{} = {value}", self.label),
            None => self.label.clone(),
        }
    }
}
