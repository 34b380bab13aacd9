//! A single step of a trace.

use stepback_index::{Cancel, Index, Query as _, QueryError, StepRecord, Steps};
use stepback_parsers::Step;

/// Returns a step with its effects; `None` beyond the end.
///
/// # Errors
/// See [`QueryError`].
pub fn step_record(
    step: Step,
    index: &Index,
    cancel: &Cancel,
) -> Result<Option<StepRecord>, QueryError> {
    Ok(Steps {
        first: step,
        count: 1,
    }
    .run(index, cancel)?
    .into_iter()
    .next())
}
