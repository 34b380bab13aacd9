//! Search for steps by their text: the raw lines of a text trace, or the disassembly and the
//! generated lines of a trace that is not text. Many lines are searched at once; the offset of a
//! match leads to its slot by a galloping search, in O(log n) of the distance.

use std::cell::RefCell;
use std::ops::Range;

use foldhash::HashMap;
use stepback_parsers::{Flow, Position, Step};

use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::{Hit, StepRecord};
use crate::index::Index;
use crate::query::search::owned::MatchOwnerReader;
use crate::query::search::pattern::TextPattern;
use crate::query::search::run::{Find, SearchTarget};
use crate::read::encodings::{encoding_of, text_of};
use crate::read::records::{self, RecordDetail};
use crate::read::slots::SlotReader;

/// Finds steps with disassembly or raw lines that match a regular expression, from a position on,
/// in trace order: one hit a step. A line after a step of another thread belongs to the last step
/// of its own thread, and shows at its place. For a step with lines more than [`crate::answer::LATE_STEPS`]
/// steps later, each of these is a separate hit.
///
/// Cost: the text is read once on all cores; only the steps with lines that may match are parsed. A
/// line of more than a megabyte is treated as several.
pub type FindText = Find<TextPattern>;

impl SearchTarget for TextPattern {
    type InText = ();

    fn in_text(&self) {}

    fn slots(
        &self,
        _in_text: &(),
        index: &Index,
        range: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, QueryError> {
        if !index.source().is_text() {
            return generated_slots(index, self, range, cancel);
        }
        slots_with(index, self, range, cancel)
    }

    fn hits(
        find: &FindText,
        index: &Index,
        slots: &[u64],
        _cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError> {
        let found: Vec<(Step, u64)> = match index.threads().len() {
            1 => slots
                .iter()
                .map(|slot| (Step(slot.saturating_sub(1)), *slot))
                .collect(),
            _ => MatchOwnerReader::new(index, find, slots).find(slots)?,
        };
        let steps: Vec<_> = found.iter().map(|(step, _)| *step).collect();
        let records = records::records_of(index, &steps, RecordDetail::Step)?;
        let hit =
            |(record, (_, slot)): (StepRecord, &(Step, u64))| Hit::at(Position(*slot), record);
        Ok(records.into_iter().zip(&found).map(hit).collect())
    }
}

/// Returns the slots of a range of a text trace with a line that matches.
pub(super) fn slots_with(
    index: &Index,
    pattern: &TextPattern,
    range: Range<u64>,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    TEXT.with_borrow_mut(|text| {
        let mut block = SearchedSteps::new(index, pattern, range)?;
        block.search(text, cancel)?;
        Ok(block.found)
    })
}

/// Size of text read at once.
const WINDOW: u64 = 1 << 20;

thread_local! {
    /// Text that is searched; its buffer is reused.
    static TEXT: RefCell<Vec<u8>> = RefCell::default();
}

/// Steps that are searched together.
struct SearchedSteps<'a> {
    index: &'a Index,
    pattern: &'a TextPattern,
    end: u64,
    /// Current slot.
    slot: u64,
    /// Text range of the current slot.
    text: Range<u64>,
    /// True if the disassembly of the current slot was examined.
    is_parsed: bool,
    found: Vec<u64>,
}

impl<'a> SearchedSteps<'a> {
    fn new(
        index: &'a Index,
        pattern: &'a TextPattern,
        slots: Range<u64>,
    ) -> Result<Self, QueryError> {
        let text = SlotReader(index).text_start(slots.start)?
            ..SlotReader(index).text_start(slots.start.saturating_add(1))?;
        let (slot, end) = (slots.start, slots.end);
        Ok(Self {
            index,
            pattern,
            end,
            slot,
            text,
            is_parsed: false,
            found: Vec::new(),
        })
    }

    fn search(&mut self, text: &mut Vec<u8>, cancel: &Cancel) -> Result<(), QueryError> {
        let (mut from, end) = (
            self.text.start,
            SlotReader(self.index).text_start(self.end)?,
        );
        while from < end {
            cancel.check()?;
            text.clear();
            self.index
                .source()
                .read_raw(from..end.min(from.saturating_add(WINDOW)), text)?;
            let is_last = from.saturating_add(text.len() as u64) >= end;
            let whole = memchr::memrchr(b'\n', text)
                .map(|last| last + 1)
                .filter(|_| !is_last);
            text.truncate(whole.unwrap_or(text.len()));
            if text.is_empty() {
                return Err(QueryError::TraceChanged);
            }
            self.search_lines(from, text)?;
            from += text.len() as u64;
        }
        Ok(())
    }

    /// Searches lines; the first one is at offset `from`.
    fn search_lines(&mut self, from: u64, text: &[u8]) -> Result<(), QueryError> {
        for line in candidate_lines(self.pattern, text) {
            let bytes = text.get(line.clone()).unwrap_or_default();
            self.look_at(from + line.start as u64, bytes)?;
        }
        Ok(())
    }

    /// Examines a line at `offset`. If two records share a line, the step of each has a part of it.
    fn look_at(&mut self, offset: u64, mut line: &[u8]) -> Result<(), QueryError> {
        self.go_to(offset)?;
        loop {
            let start = offset.max(self.text.start);
            let length = usize::try_from(self.text.end.saturating_sub(start)).unwrap_or(usize::MAX);
            let (part, rest) = line.split_at(length.min(line.len()));
            if self.found.last() != Some(&self.slot) && self.is_match(part)? {
                self.found.push(self.slot);
            }
            if rest.is_empty() || self.slot + 1 >= self.end {
                return Ok(());
            }
            line = rest;
            self.enter(self.slot + 1)?;
        }
    }

    fn is_match(&mut self, part: &[u8]) -> Result<bool, QueryError> {
        let line = part.strip_suffix(b"\r").unwrap_or(part);
        if self.pattern.is_match(line) {
            return Ok(true);
        }
        // Without assertions the disassembly matches only if its line does.
        if self.is_parsed || !self.pattern.has_assertions() {
            return Ok(false);
        }
        self.is_parsed = true;
        let mut is_match = false;
        SlotReader(self.index).each_step(self.slot..self.slot + 1, |_, step| {
            is_match |= self.pattern.is_match(step.text);
            Flow::Continue
        })?;
        Ok(is_match)
    }

    /// Advances to the slot whose text contains an offset, by galloping search. O(log n) in the
    /// distance.
    fn go_to(&mut self, offset: u64) -> Result<(), QueryError> {
        if offset < self.text.end {
            return Ok(());
        }
        let (mut low, mut stride) = (self.slot + 1, 1);
        let mut high = low.saturating_add(stride).min(self.end);
        while high < self.end && SlotReader(self.index).text_start(high)? <= offset {
            (low, stride) = (high, 2 * stride);
            high = low.saturating_add(stride).min(self.end);
        }
        // The slot is in low..high.
        while low + 1 < high {
            let middle = low.midpoint(high);
            if SlotReader(self.index).text_start(middle)? <= offset {
                low = middle
            } else {
                high = middle
            }
        }
        self.enter(low.min(self.end.saturating_sub(1)))
    }

    fn enter(&mut self, slot: u64) -> Result<(), QueryError> {
        self.text = SlotReader(self.index).text_start(slot)?
            ..SlotReader(self.index).text_start(slot.saturating_add(1))?;
        (self.slot, self.is_parsed) = (slot, false);
        Ok(())
    }
}

/// Returns the lines of a text that may match, without their ends.
fn candidate_lines(pattern: &TextPattern, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let place = (at < text.len())
            .then(|| pattern.next_candidate(text, at))
            .flatten()?;
        let before = text.get(at..place).unwrap_or_default();
        let start = memchr::memrchr(b'\n', before).map_or(at, |end| at + end + 1);
        let rest = text.get(place..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(text.len(), |length| place + length);
        at = end + 1;
        (start < text.len()).then_some(start..end)
    })
}

/// Lines generated for steps. Many are searched at once: starting a search takes longer than
/// searching a line.
struct GeneratedLines<'a> {
    pattern: &'a TextPattern,
    text: Vec<u8>,
    /// Start of each line in the text, and the number of its step.
    lines: Vec<(usize, usize)>,
    /// True for each step with a match.
    are_found: Vec<bool>,
}

impl GeneratedLines<'_> {
    /// Size of text that is searched at once.
    const BATCH: usize = 64 << 10;

    fn push(&mut self, step: usize, line: &[u8]) {
        self.lines.push((self.text.len(), step));
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
        if self.text.len() >= Self::BATCH {
            self.search();
        }
    }

    fn search(&mut self) {
        for line in candidate_lines(self.pattern, &self.text) {
            let after = self
                .lines
                .partition_point(|(start, _)| *start <= line.start);
            let step = after.checked_sub(1).and_then(|place| self.lines.get(place));
            let is_found = step.and_then(|(_, step)| self.are_found.get_mut(*step));
            if let Some(is_found) = is_found {
                let line = self.text.get(line).unwrap_or_default();
                *is_found = *is_found || self.pattern.is_match(line);
            }
        }
        self.text.clear();
        self.lines.clear();
    }
}

/// Returns the slots of a range with a match in the disassembly of the step, or in a line generated
/// for it.
pub(crate) fn generated_slots(
    index: &Index,
    pattern: &TextPattern,
    slots: Range<u64>,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    let range =
        SlotReader(index).text_start(slots.start)?..SlotReader(index).text_start(slots.end)?;
    // Text offset of each step, and whether its disassembly matches.
    let (mut starts, mut are_found) = (Vec::new(), Vec::new());
    // Match of each instruction tried.
    let mut known = HashMap::default();
    SlotReader(index).each_step(slots.clone(), |_, step| {
        let instruction = (step.pc, step.length_bytes, step.encoding());
        let is_match = *known.entry(instruction).or_insert_with(|| {
            let encoding = encoding_of(index, step);
            pattern.is_match(text_of(step, encoding).as_bytes())
        });
        starts.push(step.chunk_offset);
        are_found.push(is_match);
        Flow::Continue
    })?;
    cancel.check()?;
    let mut lines = GeneratedLines {
        pattern,
        text: Vec::new(),
        lines: Vec::new(),
        are_found,
    };
    let mut place = 0;
    index.source().made_lines(range, &mut |line| {
        while starts
            .get(place + 1)
            .is_some_and(|start| *start <= line.chunk_offset)
        {
            place += 1;
        }
        lines.push(place, line.text);
    })?;
    lines.search();
    Ok(slots
        .zip(lines.are_found)
        .filter(|(_, is_found)| *is_found)
        .map(|(slot, _)| slot)
        .collect())
}
