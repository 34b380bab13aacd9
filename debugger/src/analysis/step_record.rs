//! One step of a trace.

use stepback_index::{Cancel, Query as _, QueryError, StepRecord, Steps};
use stepback_parsers::Step;

use super::trace_index::TraceIndex;

/// A step with what it did; none beyond the end.
///
/// # Errors
/// See [`QueryError`].
pub fn step_record(step: Step, index: &TraceIndex, cancel: &Cancel) -> Result<Option<StepRecord>, QueryError> {
    Ok(Steps { first: step, count: 1 }.run(index, cancel)?.into_iter().next())
}
