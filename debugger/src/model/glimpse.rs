//! Shows a cell before and after a step, for the tooltip of a cell.

use anyhow::Result;
use stepback_index::answer::{AccessKinds, Cell, CellAccess, ThreadId};
use stepback_index::query::{NearestAccess, Steps};
use stepback_index::{Cancel, Query as _};
use stepback_parsers::Step;

use super::names::function_name;
use super::so_far::source_so_far;
use super::text::short_hex;
use crate::action::CellName;
use crate::analysis::names::NameResolver;
use crate::analysis::tracked::{CellValue, VALUE_BYTES, cell_value};
use crate::messages::say;
use crate::model::so_far::SourceWords;
use crate::session::Session;

/// Cell before and after a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glimpse {
    /// Value before the step.
    pub before: CellValue,
    /// Value after the step.
    pub after: CellValue,
    /// Length in bytes, if the cell is too long to be shown.
    pub too_long: Option<u64>,
    /// Step that wrote the value before the step, and its function.
    pub written_by: Option<(Step, String)>,
}

/// Reads a cell, as a step of a thread names it, before and after the step; none if the trace has
/// no such cell. Runs on a worker. Cost: the two values and the last write.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn glimpse(
    session: &Session,
    cell: &CellName,
    step: Step,
    thread: ThreadId,
    cancel: &Cancel,
) -> Result<Option<Glimpse>> {
    let (index, before) = (&session.index, step.before());
    let names = NameResolver::new(index, &session.images, before, Some(thread), cancel)?;
    let found = match cell {
        // A word that is not a register, such as a condition, is not a symbol either.
        CellName::Register(name) => names.register(name)?,
        CellName::Memory(..) => names.cell(&cell.to_string()).ok(),
    };
    let Some(cell) = found else { return Ok(None) };
    let last = NearestAccess::last(cell, AccessKinds::Writes, before).run(index, cancel)?;
    let written_by = match &last {
        Some(CellAccess::Step(hit)) => {
            let record = Steps {
                first: hit.record.step,
                count: 1,
            }
            .run(index, cancel)?
            .into_iter()
            .next();
            record.map(|record| (record.step, function_name(&session.images, record.pc)))
        }
        Some(CellAccess::Initial(_)) | None => None,
    };
    if let Cell::Memory { len_bytes, .. } | Cell::Physical { len_bytes, .. } = cell
        && len_bytes > VALUE_BYTES
    {
        return Ok(Some(Glimpse {
            too_long: Some(len_bytes),
            written_by,
            ..Glimpse::default()
        }));
    }
    Ok(Some(Glimpse {
        before: cell_value(index, cell, before, cancel)?,
        after: cell_value(index, cell, step.after(), cancel)?,
        too_long: None,
        written_by,
    }))
}

impl Glimpse {
    /// Returns the lines of a tooltip.
    pub fn lines(&self, session: &Session) -> Vec<String> {
        let mut lines = match self.too_long {
            Some(len_bytes) => vec![say!("glimpse-too-long", count = len_bytes)],
            None if self.before == self.after => {
                vec![say!(
                    "glimpse-holds",
                    value = value_words(session, &self.before)
                )]
            }
            None => vec![
                say!("glimpse-before", value = value_words(session, &self.before)),
                say!("glimpse-after", value = value_words(session, &self.after)),
            ],
        };
        lines.push(match &self.written_by {
            Some((step, function)) => {
                say!("glimpse-written-by", step = step.0, function = &**function)
            }
            None => say!("memory-no-step-wrote-it-before").to_owned(),
        });
        lines
    }
}

/// Formats a value with its provenance: `5a7d, recorded`.
fn value_words(session: &Session, value: &CellValue) -> String {
    let source = source_so_far(session, value.source, SourceWords::of(value.source).phrase);
    match (short_hex(&value.value), &value.reason) {
        (Some(hex), Some(reason)) => format!("{hex}, {source}: {reason}"),
        (Some(hex), None) => format!("{hex}, {source}"),
        (None, _) => source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[track_caller]
    fn check(cell: CellName, step: u64, expected: &[&str]) {
        let session = overflow();
        let (step, thread) = (Step(step), ThreadId(0));
        let found = glimpse(&session, &cell, step, thread, &Cancel::default()).unwrap();
        assert_eq!(
            found.map(|found| found.lines(&session)).unwrap_or_default(),
            expected
        );
    }

    #[test]
    fn registers_and_memory_are_seen_before_and_after_a_step() {
        let x19 = [
            "before 8002000f, recorded",
            "after  80020012, recorded",
            "previously written by step 1,188 in 800004a8",
        ];
        check(CellName::Register("x19".to_owned()), 1253, &x19);
        let byte = [
            "before a0, recorded",
            "after  a9, recorded",
            "previously written by step 726 in 80000560",
        ];
        check(CellName::Memory("0x80020010".to_owned(), 1), 1249, &byte);
        let long = [
            "65 bytes: too many to show",
            "previously written by step 729 in 8000056c",
        ];
        check(CellName::Memory("0x80020010".to_owned(), 65), 1249, &long);
        check(CellName::Register("sxtw".to_owned()), 1249, &[]);
    }
}
