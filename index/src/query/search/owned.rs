//! Threads and steps of matching lines: with several threads, the lines of one may come after a step
//! of another.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _};
use stepback_parsers::{
    EventSink, InputLocation, MarkerEvent, MemoryAccess, RegisterWrite, Step, StepEvent, TextEvent,
    ThreadNumber,
};

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::answers::step_record::LATE_STEPS;
use crate::index::Index;
use crate::query::search::pattern::TextPattern;
use crate::query::search::text::FindText;
use crate::read::encodings::{encoding_of, text_of};
use crate::read::slots::{ParserNames, SlotReader, ThreadSlot};

/// Returns the slots and threads of matching lines or disassembly in some slots, in trace order. A
/// line without events belongs to the step before it.
pub(super) fn matches_in(
    index: &Index,
    pattern: &TextPattern,
    slots: Range<u64>,
) -> Result<Vec<ThreadSlot>, QueryError> {
    let range =
        SlotReader(index).text_start(slots.start)?..SlotReader(index).text_start(slots.end)?;
    let mut lines = LineOwnerSink {
        index,
        pattern,
        first: slots.start,
        names: ParserNames::default(),
        chunks: Vec::new(),
        owners: HashMap::new(),
    };
    SlotReader(index).parse(range.clone(), &mut lines)?;
    if lines.chunks.len() as u64 != slots.end.saturating_sub(slots.start) {
        return Err(QueryError::TraceChanged);
    }
    let mut found = Vec::new();
    if index.source().is_text() {
        lines.find_in_text(range, &mut found)?;
    } else {
        lines.find_in_made_lines(range, &mut found)?;
    }
    Ok(found)
}

/// Text of a slot.
struct SlotText {
    offset: u64,
    /// Thread of its step.
    thread: ThreadId,
    /// True if its disassembly matches.
    is_match: bool,
}

/// Parsed lines of some slots.
struct LineOwnerSink<'a> {
    index: &'a Index,
    pattern: &'a TextPattern,
    /// Slot of the first chunk.
    first: u64,
    names: ParserNames,
    chunks: Vec<SlotText>,
    /// Threads of the lines with events, by the number of their chunk and of the line in the range:
    /// the parts of a line may be in several chunks.
    owners: HashMap<(usize, u64), ThreadId>,
}

impl LineOwnerSink<'_> {
    fn slot_of(&self, chunk: usize) -> u64 {
        self.first.saturating_add(chunk as u64)
    }

    fn find_in_text(
        &self,
        range: Range<u64>,
        found: &mut Vec<ThreadSlot>,
    ) -> Result<(), QueryError> {
        let mut text = Vec::new();
        self.index.source().read_raw(range.clone(), &mut text)?;
        let (mut rest, mut line) = (text.as_slice(), 0);
        for (number, chunk) in self.chunks.iter().enumerate() {
            let next = self
                .chunks
                .get(number + 1)
                .map_or(range.end, |next| next.offset);
            let length = usize::try_from(next.saturating_sub(chunk.offset)).unwrap_or(usize::MAX);
            let (own, later) = rest.split_at(length.min(rest.len()));
            rest = later;
            found.extend(chunk.is_match.then_some(ThreadSlot {
                slot: self.slot_of(number),
                thread: chunk.thread,
            }));
            for part in own.split_inclusive(|byte| *byte == b'\n') {
                let end = part
                    .strip_suffix(b"\n")
                    .map(|part| part.strip_suffix(b"\r").unwrap_or(part));
                if self
                    .pattern
                    .is_match(end.unwrap_or(part.strip_suffix(b"\r").unwrap_or(part)))
                {
                    let owner = self.owners.get(&(number, line));
                    found.push(ThreadSlot {
                        slot: self.slot_of(number),
                        thread: owner.copied().unwrap_or(chunk.thread),
                    });
                }
                line += u64::from(part.ends_with(b"\n"));
            }
        }
        Ok(())
    }

    fn find_in_made_lines(
        &self,
        range: Range<u64>,
        found: &mut Vec<ThreadSlot>,
    ) -> Result<(), QueryError> {
        let mut begun = 0;
        let begin = |begun: &mut usize, found: &mut Vec<ThreadSlot>| {
            if let Some(chunk) = self.chunks.get(*begun) {
                found.extend(chunk.is_match.then_some(ThreadSlot {
                    slot: self.slot_of(*begun),
                    thread: chunk.thread,
                }));
            }
            *begun += 1;
        };
        self.index.source().made_lines(range, &mut |line| {
            while self
                .chunks
                .get(begun)
                .is_some_and(|next| next.offset <= line.chunk_offset)
            {
                begin(&mut begun, found);
            }
            if let Some(chunk) = begun
                .checked_sub(1)
                .filter(|_| self.pattern.is_match(line.text))
            {
                let thread = self.index.thread_by_name(line.thread).unwrap_or_default();
                let slot = self.slot_of(chunk);
                found.push(ThreadSlot { thread, slot });
            }
        })?;
        while begun < self.chunks.len() {
            begin(&mut begun, found);
        }
        Ok(())
    }

    fn note(&mut self, thread: ThreadNumber, place: InputLocation) {
        let thread = self.names.thread(thread);
        if let Some(chunk) = self.chunks.len().checked_sub(1) {
            self.owners
                .entry((chunk, place.line_in_range))
                .or_insert(thread);
        }
    }
}

impl EventSink for LineOwnerSink<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.add_thread(self.index, name);
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let is_match = match self.index.source().is_text() {
            true => self.pattern.is_match(step.text),
            false => self
                .pattern
                .is_match(text_of(step, encoding_of(self.index, step)).as_bytes()),
        };
        let thread = self.names.thread(step.thread);
        self.chunks.push(SlotText {
            offset: step.chunk_offset,
            thread,
            is_match,
        });
        self.note(step.thread, step.place);
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.note(write.thread, write.place);
    }

    fn access(&mut self, access: &MemoryAccess) {
        self.note(access.thread, access.place);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.note(event.thread, event.place);
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.note(event.thread, event.place);
    }
}

/// Resolves matching slots to steps in order, and remembers the threads of matching lines: each
/// text is read once, with any number of late lines.
pub(super) struct MatchOwnerReader<'a> {
    index: &'a Index,
    search: &'a FindText,
    /// Matches are known from this slot up to the current one.
    known_from: u64,
    /// Last of these slots with a match, by thread.
    matched: HashMap<ThreadId, u64>,
}

impl<'a> MatchOwnerReader<'a> {
    /// Creates a reader for slots that are all those between the first and the last with a match.
    pub fn new(index: &'a Index, search: &'a FindText, slots: &[u64]) -> Self {
        Self {
            index,
            search,
            known_from: slots.first().copied().unwrap_or(0),
            matched: HashMap::new(),
        }
    }

    /// Returns the steps that matching lines of the slots belong to, with these slots.
    pub fn find(mut self, slots: &[u64]) -> Result<Vec<(Step, u64)>, QueryError> {
        let mut found = Vec::new();
        for slot in slots.iter().copied() {
            for here in matches_in(self.index, &self.search.what, slot..slot.saturating_add(1))? {
                let is_known = self.matched.get(&here.thread) == Some(&slot);
                let is_whose = self
                    .search
                    .thread
                    .is_none_or(|wanted| wanted == here.thread);
                if !is_known && is_whose {
                    found.extend(self.new_step_of(here)?.map(|step| (step, slot)));
                }
                self.matched.insert(here.thread, slot);
            }
        }
        Ok(found)
    }

    /// Returns the step that lines of a thread in a slot belong to, unless it was found already.
    fn new_step_of(&mut self, here: ThreadSlot) -> Result<Option<Step>, QueryError> {
        let step = SlotReader(self.index).owner(here.thread, here.slot)?;
        Ok(match step {
            Some(step) if self.matches_before(step, here)? => None,
            step => step,
        })
    }

    /// Returns true if a step was found already, by a match between it and a later line of it.
    fn matches_before(&mut self, step: Step, late: ThreadSlot) -> Result<bool, QueryError> {
        let own = step.after().0;
        let first = own.max(self.search.from.0.saturating_add(1));
        if first >= late.slot || late.slot - own > LATE_STEPS {
            return Ok(false);
        }
        let is_known = |matched: &HashMap<ThreadId, u64>| {
            matched.get(&late.thread).is_some_and(|slot| *slot >= first)
        };
        if !is_known(&self.matched) && first < self.known_from {
            for before in matches_in(self.index, &self.search.what, first..self.known_from)? {
                let last = self.matched.entry(before.thread).or_insert(before.slot);
                *last = before.slot.max(*last);
            }
            self.known_from = first;
        }
        Ok(is_known(&self.matched))
    }
}
