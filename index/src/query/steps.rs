//! Queries for steps with their effects ([`Steps`]), conversions between steps, lines and times,
//! raw lines of the trace ([`RawLines`]), and the last steps of a thread that may not have been
//! completed ([`UnfinishedSteps`]). A line or a time selects the position after the step that it
//! belongs to.

use std::ops::Range;

use stepback_parsers::{Line, Position, Step};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::index_info::TimeFall;
use crate::answers::step_record::StepRecord;
use crate::index::Index;
use crate::inference::access_values::fill_accesses;
use crate::inference::ending::unfinished_slots;
use crate::query::question::Query;
use crate::read::lines;
use crate::read::records::{self, RecordDetail};
use crate::read::slots::SlotReader;

/// Reads consecutive steps with their effects. Cost: reads the text of these steps and of at most
/// 127 before them once.
///
/// In a trace of several threads, effects of a thread after more than [`crate::answer::LATE_STEPS`] steps
/// of others are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Steps {
    /// First step.
    pub first: Step,
    /// Number of steps; fewer are returned at the end of the trace.
    pub count: u64,
}

impl Query for Steps {
    type Answer = Vec<StepRecord>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<StepRecord>, QueryError> {
        cancel.check()?;
        let first = self.first.0.saturating_add(1);
        let last = self
            .first
            .0
            .saturating_add(self.count)
            .min(index.step_count());
        let mut records = records::records_of_slots(
            index,
            &(first..=last).collect::<Vec<_>>(),
            RecordDetail::Step,
        )?;
        fill_accesses(index, &mut records, cancel)?;
        Ok(records)
    }
}

/// Finds the position after the step to which a line of the trace belongs (the end for lines beyond
/// the last).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PositionOfLine(pub Line);

impl Query for PositionOfLine {
    type Answer = Position;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Position, QueryError> {
        cancel.check()?;
        if !index.source().is_text() {
            return Err(QueryError::NotRecorded {
                format: index.info().format,
                what: "lines",
            });
        }
        Ok(Position(
            lines::chunk_of_line(index, self.0.0.saturating_sub(1))?.slot,
        ))
    }
}

/// Finds the position after the last step whose time is at most this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PositionOfTime(pub u64);

impl Query for PositionOfTime {
    type Answer = Position;

    fn run(&self, index: &Index, _cancel: &Cancel) -> Result<Position, QueryError> {
        let segments = &index.contents.segments;
        // Times never decrease, so only the last segment that begins in time can contain the place.
        let after = segments
            .partition_point(|segment| segment.time_before.is_none_or(|before| before <= self.0));
        let Some(number) = after.checked_sub(1) else {
            return Ok(Position(0));
        };
        let Some(segment) = index.segment(number) else {
            return Ok(Position(0));
        };
        Ok(Position(
            segment.meta.step_base + u64::from(segment.steps_up_to(self.0)?),
        ))
    }
}

/// Finds the steps at which a thread's time falls from above a time to it or below it: each is
/// another occurrence of the time after [`PositionOfTime`]. Only the first [`crate::answer::WARNINGS_KEPT`]
/// falls of the trace are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FallsAcrossTime(pub u64);

impl Query for FallsAcrossTime {
    type Answer = Vec<TimeFall>;

    fn run(&self, index: &Index, _cancel: &Cancel) -> Result<Vec<TimeFall>, QueryError> {
        let falls = index
            .contents
            .time_falls
            .iter()
            .filter(|fall| fall.to <= self.0 && self.0 < fall.from);
        Ok(falls.copied().collect())
    }
}

/// Finds the line of a step's instruction; none beyond the end of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineOfStep(pub Step);

impl Query for LineOfStep {
    type Answer = Option<Line>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Line>, QueryError> {
        let record = Steps {
            first: self.0,
            count: 1,
        }
        .run(index, cancel)?
        .into_iter()
        .next();
        Ok(record.and_then(|record| record.line))
    }
}

/// Finds the first line of a step's text: the line of its instruction, or of lines with its new
/// time before it. Reads the text of at most 127 steps before it, and parses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextLineOfStep(pub Step);

/// Finds the nearest step of a thread before or after a position. Cost: O(log n).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NearestStepOf {
    /// Thread of the step.
    pub thread: ThreadId,
    /// Position of the query.
    pub at: Position,
    /// Backwards, steps before the position count; forwards, steps from it on.
    pub direction: Direction,
}

impl NearestStepOf {
    /// Finds the last step of a thread before a position.
    pub fn last(thread: ThreadId, before: Position) -> Self {
        Self {
            thread,
            at: before,
            direction: Direction::Back,
        }
    }

    /// Finds the first step of a thread from a position on.
    pub fn next(thread: ThreadId, from: Position) -> Self {
        Self {
            thread,
            at: from,
            direction: Direction::Forward,
        }
    }
}

impl Query for TextLineOfStep {
    /// The line; none beyond the end of the trace.
    type Answer = Option<Line>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Line>, QueryError> {
        cancel.check()?;
        let slot = self.0.0.saturating_add(1);
        if slot > index.step_count() || !index.source().is_text() {
            Ok(None)
        } else {
            Ok(Some(Line(lines::line_of_slot(index, slot)? + 1)))
        }
    }
}

impl Query for NearestStepOf {
    type Answer = Option<Step>;

    fn run(&self, index: &Index, _cancel: &Cancel) -> Result<Option<Step>, QueryError> {
        let slots = SlotReader(index);
        match self.direction {
            Direction::Back => {
                slots.check_position(self.at)?;
                slots.owner(self.thread, self.at.0)
            }
            Direction::Forward => slots.next_step_of(self.thread, self.at),
        }
    }
}

/// Reads the raw lines of the trace from a line on, without their line ends (lossy UTF-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawLines {
    /// First line.
    pub first: Line,
    /// Number of lines; fewer are returned at the end of the trace.
    pub count: u64,
}

/// A raw line of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLine {
    /// Line number.
    pub line: Line,
    /// Step that it belongs to; none before the first step.
    pub step: Option<Step>,
    /// Text, cut after [`SHOWN_BYTES`].
    pub text: String,
}

/// Length in bytes at which lines are cut, more than any reader needs.
pub const SHOWN_BYTES: usize = 4096;
const WINDOW: u64 = 64 << 10;

impl Query for RawLines {
    type Answer = Vec<RawLine>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<RawLine>, QueryError> {
        if !index.source().is_text() {
            return Ok(Vec::new());
        }
        let wanted = self.first.0.saturating_sub(1);
        let chunk = lines::chunk_of_line(index, wanted)?;
        let (mut slot, mut slot_end) = (chunk.slot, SlotReader(index).text_start(chunk.slot + 1)?);
        let (mut line, mut offset, length) = (chunk.line, chunk.offset, index.contents.text_end);
        let mut lines = Vec::new();
        let mut text = Vec::new();
        let mut window = Vec::new();
        while offset < length && (lines.len() as u64) < self.count {
            cancel.check()?;
            window.clear();
            index.source().read_raw(
                offset..offset.saturating_add(WINDOW).min(length),
                &mut window,
            )?;
            if window.is_empty() {
                return Err(QueryError::TraceChanged);
            }
            let window_end = offset + window.len() as u64;
            for piece in window.split_inclusive(|byte| *byte == b'\n') {
                let is_shown = line >= wanted && (lines.len() as u64) < self.count;
                if is_shown {
                    text.extend(piece.iter().take(SHOWN_BYTES.saturating_sub(text.len())));
                }
                offset += piece.len() as u64;
                let is_whole = piece.ends_with(b"\n") || offset == length;
                if !is_whole {
                    continue;
                }
                let begin = offset - 1;
                while begin >= slot_end && slot < index.step_count() {
                    slot += 1;
                    slot_end = SlotReader(index).text_start(slot + 1)?;
                }
                if is_shown {
                    let shown = String::from_utf8_lossy(&text)
                        .trim_end_matches(['\r', '\n'])
                        .to_owned();
                    lines.push(RawLine {
                        line: Line(line + 1),
                        step: Position(slot).last_step(),
                        text: shown,
                    });
                    text.clear();
                }
                line += 1;
            }
            offset = window_end;
        }
        Ok(lines)
    }
}

/// Finds the last steps of a thread before a position that may not have been completed, when no
/// step of it follows.
///
/// A program that dies by a signal ends so: the trace shows instructions after the one that
/// faulted. The writes of these steps are unknown at the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnfinishedSteps {
    /// Position of the query.
    pub position: Position,
    /// Thread of the steps.
    pub thread: ThreadId,
}

impl Query for UnfinishedSteps {
    type Answer = Option<Range<Step>>;

    fn run(&self, index: &Index, _cancel: &Cancel) -> Result<Option<Range<Step>>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let slots = unfinished_slots(index, self.thread, self.position)?;
        let step = |slot: u64| Step(slot.saturating_sub(1));
        Ok(slots.map(|slots| step(slots.start)..step(slots.end)))
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::build_index::index_in_memory;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::build_index::BuildOptions;
    use crate::read::thread_steps::StepCounter;

    /// Two CPUs; the second instruction of the first has a line with its time before it.
    const TRACE: &str = "\
1 clk cpu0 IT (1) 00001000 e1a00000 A usr : NOP
2 clk cpu1 IT (1) 00002000 e1a00000 A usr : NOP
3 clk cpu0 R r0 00000001
3 clk cpu0 IT (2) 00001004 e1a00000 A usr : NOP
3 clk cpu0 R r1 00000001
4 clk cpu1 IT (2) 00002004 e1a00000 A usr : NOP
";

    fn index() -> Index {
        let tarmac = Tarmac::open(Box::new(TRACE.as_bytes().to_vec()), Default::default()).unwrap();
        index_in_memory(Arc::new(tarmac), &BuildOptions::default()).unwrap()
    }

    fn ask<Q: Query>(question: Q) -> Q::Answer {
        question.run(&index(), &Cancel::default()).unwrap()
    }

    #[test]
    fn a_step_s_text_begins_with_the_lines_that_bear_its_time() {
        let lines = (0..5).map(|step| ask(TextLineOfStep(Step(step))).map(|line| line.0));
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [Some(1), Some(2), Some(3), Some(6), None]
        );
    }

    #[test]
    fn every_thread_has_steps_of_its_own() {
        let next = |thread, from| {
            ask(NearestStepOf::next(ThreadId(thread), Position(from))).map(|step| step.0)
        };
        assert_eq!(
            (next(0, 1), next(1, 2), next(0, 3)),
            (Some(2), Some(3), None)
        );
        let last = |thread, before| ask(NearestStepOf::last(ThreadId(thread), Position(before)));
        assert_eq!((last(0, 4), last(1, 1)), (Some(Step(2)), None));
        let index = index();
        let count = |thread, before| {
            StepCounter::new(&index, ThreadId(thread))
                .count_before(Position(before))
                .unwrap()
        };
        assert_eq!(
            (
                count(0, 0),
                count(0, 1),
                count(0, 4),
                count(1, 3),
                count(1, 4)
            ),
            (0, 1, 2, 1, 2)
        );
    }
}
