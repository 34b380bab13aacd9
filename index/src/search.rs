//! Searches that read the trace again.

use regex::bytes::Regex;
use stepback_parsers::{EventSink, Flow, MemoryAccess, Position, RegisterWrite, Source, StepEvent};

use crate::slots::EventKind;
use crate::{Cancel, Hit, Index, Query, QueryError};

/// Steps whose disassembly or raw lines match a regular expression, from a position on, in trace order: one hit a step.
#[derive(Clone, Debug)]
pub struct FindText {
    /// Matched against each line, without its end, and against the disassembly alone.
    /// `^` and `$` match at lines when it was built with `multi_line`.
    pub pattern: Regex,
    /// From where.
    pub from: Position,
    /// At most this many hits.
    pub limit: usize,
}

/// Register writes and memory accesses of exactly this value, from a position on, in trace order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FindValue {
    /// The number.
    pub value: u64,
    /// From where.
    pub from: Position,
    /// At most this many hits.
    pub limit: usize,
}

/// Steps that are searched between two looks at the cancel flag.
const BLOCK: u64 = 4096;

impl Query for FindText {
    type Answer = Vec<Hit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<Hit>, QueryError> {
        index.check_position(self.from)?;
        let (mut hits, mut text) = (Vec::new(), Vec::new());
        let mut first = self.from.0 + 1;
        while first <= index.step_count() && hits.len() < self.limit {
            cancel.check()?;
            let end = (first + BLOCK).min(index.step_count() + 1);
            text.clear();
            let start = index.text_start(first)?;
            index.source().read_raw(start..index.text_start(end)?, &mut text)?;
            // An anchor may match the disassembly where it does not match the line.
            if self.pattern.as_str().contains(['^', '$', '\\']) || self.pattern.is_match(&text) {
                self.search_block(index, (first, start), &text, &mut hits)?;
            }
            first = end;
        }
        Ok(hits)
    }
}

impl FindText {
    fn search_block<S: Source>(
        &self,
        index: &Index<S>,
        (first, start): (u64, u64),
        text: &[u8],
        hits: &mut Vec<Hit>,
    ) -> Result<(), QueryError> {
        let mut steps = StepTexts { pattern: &self.pattern, steps: Vec::new() };
        index.parse(start..start + text.len() as u64, &mut steps)?;
        for (number, (chunk_offset, is_match)) in steps.steps.iter().enumerate() {
            let from = usize::try_from(chunk_offset.saturating_sub(start)).unwrap_or(usize::MAX);
            let next = steps.steps.get(number + 1).map(|(next, _)| next.saturating_sub(start));
            let to = next.and_then(|next| usize::try_from(next).ok()).unwrap_or(text.len());
            let chunk = text.get(from..to).unwrap_or_default();
            if *is_match || chunk.lines_of().any(|line| self.pattern.is_match(line)) {
                let step = stepback_parsers::Step(first - 1 + number as u64);
                hits.push(index.hit(step, step.after(), None)?);
                if hits.len() == self.limit {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Lines without their ends.
trait LinesOf {
    fn lines_of(&self) -> impl Iterator<Item = &[u8]>;
}

impl LinesOf for [u8] {
    fn lines_of(&self) -> impl Iterator<Item = &[u8]> {
        let lines = self.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line));
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Where steps begin, and whether their disassembly matches.
struct StepTexts<'a> {
    pattern: &'a Regex,
    steps: Vec<(u64, bool)>,
}

impl EventSink for StepTexts<'_> {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.steps.push((step.chunk_offset, self.pattern.is_match(step.text)));
    }
}

impl Query for FindValue {
    type Answer = Vec<Hit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<Hit>, QueryError> {
        index.check_position(self.from)?;
        let is_big_endian = index.info().is_big_endian;
        let (mut hits, mut from) = (Vec::new(), self.from.0);
        while from < index.step_count() && hits.len() < self.limit {
            let (value, limit) = (self.value, self.limit);
            let mut sink = ValueSlots { value, is_big_endian, slot: from, limit, cancel, found: Vec::new() };
            index.parse(index.text_start(from + 1)?..index.contents.text_end, &mut sink)?;
            cancel.check()?;
            for slot in &sink.found {
                self.hits_in(index, *slot, &mut hits)?;
            }
            // What the sink found may be no hits: copies of banks, or a thread's dump before its first step.
            let is_whole = sink.found.len() < self.limit;
            from = sink.found.last().copied().filter(|_| !is_whole).unwrap_or(index.step_count());
        }
        Ok(hits)
    }
}

impl FindValue {
    fn hits_in<S: Source>(&self, index: &Index<S>, slot: u64, hits: &mut Vec<Hit>) -> Result<(), QueryError> {
        for event in index.events(slot..slot + 1)?.iter().filter(|event| event.slot == slot) {
            if hits.len() == self.limit || matches!(event.kind, EventKind::Register { is_bank_copy: true, .. }) {
                continue;
            }
            let Some(access) = index.access_of(event)?.filter(|access| access.value.to_u64() == Some(self.value))
            else {
                continue;
            };
            if let Some(step) = index.owner(event.thread, slot)? {
                hits.push(index.hit(step, Position(slot), Some(access))?);
            }
        }
        Ok(())
    }
}

/// The slots with a value.
struct ValueSlots<'a> {
    value: u64,
    is_big_endian: bool,
    slot: u64,
    limit: usize,
    cancel: &'a Cancel,
    found: Vec<u64>,
}

impl ValueSlots<'_> {
    fn note(&mut self, value: Option<u64>) {
        if value == Some(self.value) && self.found.last() != Some(&self.slot) {
            self.found.push(self.slot);
        }
    }
}

impl EventSink for ValueSlots<'_> {
    fn begin_step(&mut self, _step: &StepEvent<'_>) {
        self.slot += 1;
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let value = write.bytes.and_then(|bytes| {
            let (low, high) = bytes.split_at(bytes.len().min(8));
            let number = low.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            high.iter().all(|byte| *byte == 0).then_some(number)
        });
        self.note(value);
    }

    fn access(&mut self, access: &MemoryAccess) {
        let value = access.bytes.map(|bytes| {
            let bytes = bytes.iter().take(usize::from(access.size_bytes));
            let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
            if self.is_big_endian { bytes.fold(0, push) } else { bytes.rev().fold(0, push) }
        });
        self.note(value);
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        let is_over = self.cancel.is_cancelled() || self.found.len() >= self.limit;
        if is_over { Flow::Stop } else { Flow::Continue }
    }
}
