//! Steps with their effects, and conversions between steps, lines and times.

use stepback_parsers::{Line, Position, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::index_info::TimeFall;
use crate::answers::step_record::StepRecord;
use crate::index::Index;
use crate::inference::access_values::fill_accesses;
use crate::query::question::Query;
use crate::read::lines::LineReader;
use crate::read::records::{RecordDetail, RecordReader};

/// Reads consecutive steps with their effects. Cost: reads the text of these steps and of at most
/// 127 before them once.
///
/// In a trace of several threads, effects of a thread after more than [`crate::LATE_STEPS`] steps
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
        let mut records =
            RecordReader(index).records(&(first..=last).collect::<Vec<_>>(), RecordDetail::Step)?;
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
            LineReader(index)
                .chunk_of_line(self.0.0.saturating_sub(1))?
                .slot,
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
/// another occurrence of the time after [`PositionOfTime`]. Only the first [`crate::WARNINGS_KEPT`]
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
        Ok(falls
            .map(|fall| TimeFall {
                step: Step(fall.step),
                from: fall.from,
                to: fall.to,
            })
            .collect())
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
