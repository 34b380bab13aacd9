//! Where a step's text stands in the trace.

use std::ops::Range;

use stepback_parsers::{EventSink, Flow, Line, Position, Source, Step, StepEvent};

use crate::packed::FRAME;
use crate::{Cancel, Index, Query, QueryError, ThreadId};

/// The text of a step; none beyond the end of the trace. Reads the text of at most 127 steps before it, and parses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextOfStep(pub Step);

/// Where a step's text stands: its instruction, what belongs to it, and the lines with its new time before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The first line.
    pub line: Line,
    /// All bytes.
    pub bytes: Range<u64>,
    /// The step's time, never less than that of the step before; none when the trace has no time at all.
    pub time: Option<u64>,
}

/// The time of a step, never less than that of the step before; none when the trace has no time at all. O(1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeOfStep(pub Step);

/// The first step of a thread from a position on. O(log n).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextStepOf {
    /// Whose.
    pub thread: ThreadId,
    /// From where.
    pub from: Position,
}

impl Query for TextOfStep {
    type Answer = Option<TextPlace>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<TextPlace>, QueryError> {
        cancel.check()?;
        let slot = self.0.0.saturating_add(1);
        if slot > index.step_count() {
            return Ok(None);
        }
        let bytes = index.text_start(slot)?..index.text_start(slot + 1)?;
        let line = Line(index.line_of_slot(slot, bytes.start)?.saturating_add(1));
        Ok(Some(TextPlace { line, bytes, time: index.time_of_slot(slot)? }))
    }
}

impl Query for TimeOfStep {
    type Answer = Option<u64>;

    fn run<S: Source>(&self, index: &Index<S>, _cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        let slot = self.0.0.saturating_add(1);
        if slot > index.step_count() { Ok(None) } else { index.time_of_slot(slot) }
    }
}

impl Query for NextStepOf {
    type Answer = Option<Step>;

    fn run<S: Source>(&self, index: &Index<S>, _cancel: &Cancel) -> Result<Option<Step>, QueryError> {
        index.next_step_of(self.thread, self.from)
    }
}

impl<S: Source> Index<S> {
    /// The line, counted from 0, on which the text of a slot begins.
    fn line_of_slot(&self, slot: u64, start: u64) -> Result<u64, QueryError> {
        let (segment, local) = self.locate(slot)?;
        let block = (local.saturating_sub(1) as usize) / FRAME;
        let block_slot = segment.meta.step_base + (block * FRAME) as u64 + 1;
        let instruction_line = segment.meta.line_base + segment.block_line(block)?;
        // The index has the lines of instructions, and lines with their time may stand before them.
        let mut first = FirstInstruction::default();
        self.parse(self.text_start(block_slot)?..self.text_start(block_slot + 1)?, &mut first)?;
        let instruction = first.0.ok_or(QueryError::TraceChanged)?;
        Ok(match start < instruction {
            true => instruction_line.saturating_sub(self.newlines(start..instruction)?),
            false => instruction_line + self.newlines(instruction..start)?,
        })
    }

    fn newlines(&self, mut range: Range<u64>) -> Result<u64, QueryError> {
        const WINDOW: u64 = 64 << 10;
        let mut window = Vec::new();
        let mut count = 0;
        while !range.is_empty() {
            window.clear();
            self.source().read_raw(range.start..range.start.saturating_add(WINDOW).min(range.end), &mut window)?;
            if window.is_empty() {
                return Err(QueryError::TraceChanged);
            }
            count += memchr::memchr_iter(b'\n', &window).count() as u64;
            range.start += window.len() as u64;
        }
        Ok(count)
    }
}

/// Where the line of the first instruction begins.
#[derive(Default)]
struct FirstInstruction(Option<u64>);

impl EventSink for FirstInstruction {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.0.get_or_insert(step.place.offset);
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        if self.0.is_some() { Flow::Stop } else { Flow::Continue }
    }
}
