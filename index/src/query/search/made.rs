//! Text search in a trace that is not text.

use std::ops::Range;

use foldhash::HashMap;
use stepback_machine::{Address, Encoding};
use stepback_parsers::{EventSink, StepEvent};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::query::search::pattern::TextPattern;
use crate::read::encodings::{encoding_of, text_of};
use crate::read::slots::SlotReader;

/// Returns the slots of a range with a match in the disassembly of the step, or in a line generated
/// for it.
pub(crate) fn slots(
    index: &Index,
    pattern: &TextPattern,
    slots: Range<u64>,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    let range =
        SlotReader(index).text_start(slots.start)?..SlotReader(index).text_start(slots.end)?;
    let mut steps = DisassembledSteps {
        index,
        pattern,
        starts: Vec::new(),
        are_found: Vec::new(),
        known: HashMap::default(),
    };
    SlotReader(index).parse(range.clone(), &mut steps)?;
    cancel.check()?;
    let DisassembledSteps {
        starts,
        mut are_found,
        ..
    } = steps;
    let mut place = 0;
    index.source().made_lines(range, &mut |line| {
        while starts
            .get(place + 1)
            .is_some_and(|start| *start <= line.chunk_offset)
        {
            place += 1;
        }
        if let Some(is_found) = are_found.get_mut(place) {
            *is_found = *is_found || pattern.is_match(line.text);
        }
    })?;
    Ok(slots
        .zip(are_found)
        .filter(|(_, is_found)| *is_found)
        .map(|(slot, _)| slot)
        .collect())
}

/// Text offset of each step, and whether its disassembly matches.
struct DisassembledSteps<'a> {
    index: &'a Index,
    pattern: &'a TextPattern,
    starts: Vec<u64>,
    are_found: Vec<bool>,
    /// Match of each instruction tried.
    known: HashMap<(Address, u8, Option<Encoding>), bool>,
}

impl EventSink for DisassembledSteps<'_> {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let recorded = step.encoding();
        let is_match = *self
            .known
            .entry((step.pc, step.length_bytes, recorded))
            .or_insert_with(|| {
                let encoding = encoding_of(self.index, step);
                self.pattern.is_match(text_of(step, encoding).as_bytes())
            });
        self.starts.push(step.chunk_offset);
        self.are_found.push(is_match);
    }
}
