//! A row of a slice: a step with what it gave, or where a chain ends, in words.

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::action::{CellName, SliceView};
use crate::model::TextSpan;

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceListRow {
    /// The step; none where a chain ends.
    pub step: Option<Step>,
    /// Whose, by name; empty where the trace has one thread.
    pub thread: String,
    /// Where its instruction lies.
    pub address: Option<Address>,
    /// The same as a function and an offset, or in hex.
    pub place: String,
    /// How far behind the beginning of its function, where that is known: `+114`.
    pub offset: Option<String>,
    /// The instruction.
    pub code: Vec<TextSpan>,
    /// What of it is wanted.
    pub gives: Vec<DefinedCell>,
    /// Why it is in.
    pub reason: String,
    /// How the chain ends, where it does.
    pub end: Option<String>,
    /// Why it may not be where the value comes from.
    pub doubt: Option<String>,
    /// The steps that want it, each once; none of them: the question.
    pub wanted_by: Vec<Option<Step>>,
}

/// A cell that a step gave a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedCell {
    /// As it is shown: `x2`, `[80020015:8]`, `nz`.
    pub label: String,
    /// As it became; none where the trace does not say.
    pub value: Option<String>,
    /// What questions about it are asked with.
    pub cell: CellName,
}

/// A question that a row leads to: why has a cell its value at a position?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyQuery<'a> {
    /// What is asked about.
    pub given: &'a DefinedCell,
    /// Where.
    pub at: Position,
}

impl SliceListRow {
    /// Where a click on it travels to: behind the step, where what it gave shows; an end to before the step that wants it.
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

    /// Where its instruction lies, in a list whose heads say in which function.
    pub fn place_in(&self, view: SliceView) -> &str {
        match (&self.offset, view) {
            (Some(offset), SliceView::Chain | SliceView::Everything) => offset,
            _ => &self.place,
        }
    }

    /// What it gave, in one text.
    pub fn gives_text(&self) -> String {
        let texts: Vec<String> = self.gives.iter().map(DefinedCell::text).collect();
        texts.join("  ")
    }

    /// The instruction in one text; of an end, how the chain ends.
    pub fn code_text(&self) -> String {
        match &self.end {
            Some(end) => end.clone(),
            None => self.code.iter().map(|span| span.text.as_str()).collect(),
        }
    }

    /// As it is copied.
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
    /// `x2 = bfb1e598a4e5bda9`, the cell alone where its value is not known.
    pub fn text(&self) -> String {
        match &self.value {
            Some(value) => format!("{} = {value}", self.label),
            None => self.label.clone(),
        }
    }
}
