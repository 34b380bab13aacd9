//! Row of a slice: a step with the values it defined, or the end of a chain.

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::action::{CellName, SliceView};
use crate::model::TextSpan;

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
    /// Offset from the beginning of the function, if known: `+114`.
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
    /// Steps that need the row, each once; none stands for the query itself.
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

/// Follow-up query offered by a row: why does a cell have its value at a position?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyQuery<'a> {
    pub given: &'a DefinedCell,
    pub at: Position,
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
