//! The bad end of a trace in words: what happened, where, and where the value that caused it came
//! from.

use anyhow::Result;
use stepback_index::answer::{AccessTarget, Effect, StepRecord};
use stepback_index::query::Steps;
use stepback_index::{Cancel, Query as _};
use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Position, Step};

use crate::action::{CellName, SliceView};
use crate::analysis::ending::{BadEnding, EndingCause, bad_ending};
use crate::analysis::fatal_ending::FatalEnding;
use crate::messages::{say, thousands};
use crate::model::names::place_name;
use crate::model::slice::{SliceLineContent, SliceLines, SliceRequest, gather_slice};
use crate::model::span::step_code;
use crate::notes::SavedSliceQuery;
use crate::session::Session;

/// Number of steps followed to find the store that caused the end.
const STEPS: usize = 64;
/// Maximum number of lines about the origin of the value.
const LINES: usize = 3;

/// The bad end of a trace in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndingReport {
    pub ending: BadEnding,
    /// The event, as a sentence without a full stop.
    pub title: String,
    /// The step at which it happened: `step 44,012 in dispatch: blr x2`.
    pub place: String,
    /// Steps that the value of the culprit came from, the newest first, up to a store.
    pub origin: Vec<OriginLine>,
    /// Memory that held the value of the culprit: who wrote it is the question.
    pub memory: Option<CellName>,
}

/// A step that contributed to the value of the culprit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginLine {
    pub step: Step,
    /// Address of its instruction.
    pub address: Option<Address>,
    /// Function that executed it; empty if it has no name.
    pub function: String,
    /// The step as `why` shows it.
    pub text: String,
    /// Value that it gave; empty if unknown.
    pub value: String,
}

impl EndingReport {
    /// Returns the guess about a fatal signal, which the recorder does not record well.
    pub fn fatal(&self) -> Option<&FatalEnding> {
        match &self.ending.cause {
            EndingCause::Fatal(fatal) => Some(fatal),
            _ => None,
        }
    }
}

impl OriginLine {
    /// Formats the line.
    pub fn words(&self) -> String {
        let value = match self.value.as_str() {
            "" => String::new(),
            value => format!("  {value}"),
        };
        match self.function.as_str() {
            "" => format!("{}{value}", self.text),
            function => format!("{function}: {}{value}", self.text),
        }
    }
}

/// Describes how a trace ends badly; `None` if it does not. Runs on a worker.
///
/// Cost: that of [`bad_ending`], and 64 steps of a slice.
///
/// # Errors
/// The trace cannot be read.
pub fn ending_report(session: &Session, cancel: &Cancel) -> Result<Option<EndingReport>> {
    let Some(ending) = bad_ending(session, cancel)? else {
        return Ok(None);
    };
    let (origin, memory) = match &ending.culprit {
        Some((cell, at)) => origin_of(session, cell, *at, cancel)?,
        None => (Vec::new(), None),
    };
    Ok(Some(EndingReport {
        title: ending.cause.title(&session.images),
        place: place_of(session, ending.step, cancel)?,
        origin,
        memory,
        ending,
    }))
}

/// Follows the value of a cell back to the store that it came from. Returns the lines, and the
/// memory that held the value.
fn origin_of(
    session: &Session,
    cell: &CellName,
    at: Position,
    cancel: &Cancel,
) -> Result<(Vec<OriginLine>, Option<CellName>)> {
    let question = SavedSliceQuery {
        cell: cell.to_string(),
        at: at.0,
        ..SavedSliceQuery::default()
    };
    let request = SliceRequest {
        question,
        limit: STEPS,
        before: None,
    };
    let slice = gather_slice(session, &request, cancel, &mut |_| {})?;
    let lines = SliceLines::new(slice, SliceView::Chain, &Default::default());
    let mut origin = Vec::new();
    let mut memory = matches!(cell, CellName::Memory(..)).then(|| cell.clone());
    let mut loaded = Vec::new();
    for line in &lines.lines {
        let Some(content @ SliceLineContent::Line { row, .. }) = lines.slice.stated(line) else {
            continue;
        };
        let Some(step) = row.step.filter(|_| origin.len() < LINES) else {
            break;
        };
        origin.push(OriginLine {
            step,
            address: row.address,
            function: row.function.clone(),
            text: content.text(),
            value: content.value(),
        });
        let records = Steps {
            first: step,
            count: 1,
        };
        let records = records.run(&session.index, cancel)?;
        let accessed = |kind| {
            records
                .iter()
                .flat_map(move |record| cells_of(record, kind))
        };
        let stored = row
            .gives
            .iter()
            .find(|given| matches!(given.cell, CellName::Memory(..)));
        if let Some(stored) = stored {
            // The store may have written only a part of what was loaded.
            let whole = loaded.iter().find(|loaded: &&MemoryCell| {
                accessed(AccessKind::Write).any(|stored| loaded.overlaps(stored))
            });
            let whole = whole.map_or_else(|| stored.cell.clone(), MemoryCell::name);
            memory = memory.or(Some(whole));
            break;
        }
        loaded.extend(accessed(AccessKind::Read));
    }
    Ok((origin, memory))
}

/// Memory that an instruction loaded or stored.
#[derive(Clone, Copy)]
struct MemoryCell {
    address: Address,
    bytes: u64,
}

impl MemoryCell {
    fn overlaps(&self, other: Self) -> bool {
        other.address.0.wrapping_sub(self.address.0) < self.bytes
            || self.address.0.wrapping_sub(other.address.0) < other.bytes
    }

    fn name(&self) -> CellName {
        CellName::Memory(format!("{:#x}", self.address.0), self.bytes)
    }
}

/// Returns the memory that a step read or wrote.
fn cells_of(record: &StepRecord, kind: AccessKind) -> impl Iterator<Item = MemoryCell> {
    record
        .effects
        .iter()
        .filter_map(move |effect| match effect {
            Effect::Access(access) if access.kind == kind => match access.target {
                AccessTarget::Memory {
                    address,
                    size_bytes,
                } => Some(MemoryCell {
                    address,
                    bytes: size_bytes,
                }),
                AccessTarget::Register(_) => None,
            },
            _ => None,
        })
}

fn place_of(session: &Session, first: Step, cancel: &Cancel) -> Result<String> {
    let records = Steps { first, count: 1 }.run(&session.index, cancel)?;
    let Some(record) = records.first() else {
        return Ok(String::new());
    };
    let code = step_code(record, &session.images);
    let operands: String = code
        .operands
        .iter()
        .map(|span| span.text.as_str())
        .collect();
    let code = format!("{} {operands}", code.mnemonic.text);
    let place = place_name(&session.images, record.pc);
    Ok(say!(
        "ending-place",
        step = thousands(first.0),
        place = place.unwrap_or_else(|| format!("{:x}", record.pc.0)),
        code = code.trim_end()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow_with_image;

    /// The last byte of the pointer was stored at the step in the report; the pointer has eight.
    #[test]
    fn the_memory_is_all_that_was_loaded() {
        let report = ending_report(&overflow_with_image(), &Cancel::default());
        let report = report.unwrap().unwrap();
        assert_eq!(
            report.memory,
            Some(CellName::Memory("0x80020010".to_owned(), 8))
        );
    }
}
