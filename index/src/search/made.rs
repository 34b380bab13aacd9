//! The search for text in a trace that is no text.

use std::ops::Range;

use foldhash::HashMap;
use stepback_parsers::{Address, Encoding, EventSink, Source, StepEvent};

use super::TextPattern;
use crate::decode::decode;
use crate::{Cancel, Index, QueryError};

/// The slots of a range with a match in the disassembly of the step, or in a line that is made of what belongs to it.
pub(super) fn slots<S: Source>(
    index: &Index<S>,
    pattern: &TextPattern,
    slots: Range<u64>,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    let range = index.text_start(slots.start)?..index.text_start(slots.end)?;
    let mut steps = Steps { pattern, starts: Vec::new(), are_found: Vec::new(), known: HashMap::default() };
    index.parse(range.clone(), &mut steps)?;
    cancel.check()?;
    let Steps { starts, mut are_found, .. } = steps;
    let mut place = 0;
    index.source().made_lines(range, &mut |offset, line| {
        while starts.get(place + 1).is_some_and(|start| *start <= offset) {
            place += 1;
        }
        if let Some(is_found) = are_found.get_mut(place) {
            *is_found = *is_found || pattern.is_match(line);
        }
    })?;
    Ok(slots.zip(are_found).filter(|(_, is_found)| *is_found).map(|(slot, _)| slot).collect())
}

/// Where the text of each step begins, and whether its disassembly matches.
struct Steps<'a> {
    pattern: &'a TextPattern,
    starts: Vec<u64>,
    are_found: Vec<bool>,
    /// Whether an instruction matches.
    known: HashMap<(Address, Encoding), bool>,
}

impl EventSink for Steps<'_> {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let is_match = step.encoding().is_some_and(|encoding| {
            let is_match = || self.pattern.is_match(decode(encoding, step.pc, step.instruction_set).text.as_bytes());
            *self.known.entry((step.pc, encoding)).or_insert_with(is_match)
        });
        self.starts.push(step.chunk_offset);
        self.are_found.push(is_match);
    }
}
