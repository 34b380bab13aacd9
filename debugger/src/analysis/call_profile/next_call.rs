//! Finds the call of a function nearest to a position.

use stepback_index::answer::{Direction, StepRecord, ThreadId};
use stepback_index::query::VisitsFrom;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::analysis::condition::nearest_execution;

/// Returns the entry position of the nearest call of a function before or after a position; an
/// entry at this position does not count.
///
/// Cost: the steps at the function's address on the way. Those are its calls, and jumps back to its
/// start.
///
/// # Errors
/// See [`QueryError`].
pub fn next_call(
    index: &Index,
    function: Address,
    direction: Direction,
    from: Position,
    cancel: &Cancel,
) -> Result<Option<Position>, QueryError> {
    let mut at = from;
    loop {
        cancel.check()?;
        // A call is shown at its entry, the position before its first step.
        let Some(hit) = nearest_execution(index, function, at, direction, cancel)? else {
            return Ok(None);
        };
        if is_entry(index, &hit.record) {
            return Ok(Some(hit.record.step.before()));
        }
        at = hit.record.step.before();
    }
}

/// Maximum number of visits of a function's first step that are examined.
const VISITS: usize = 256;

/// Returns the ordinal of the call of a function that is entered at a position, from 1, and the
/// number of its calls in all; `None` if there are too many calls to count at once.
///
/// # Errors
/// See [`QueryError`].
pub fn call_number(
    index: &Index,
    function: Address,
    entered: Position,
    cancel: &Cancel,
) -> Result<Option<(u64, u64)>, QueryError> {
    let visits = VisitsFrom {
        pc: function,
        from: Position(0),
        limit: VISITS + 1,
    }
    .run(index, cancel)?;
    let (mut number, mut count) = (0, 0);
    for step in visits.iter().copied() {
        if is_first(index, SlotReader(index).thread_at(step.after())?, step) {
            count += 1;
            number += u64::from(step.before() <= entered);
        }
    }
    Ok((visits.len() <= VISITS).then_some((number, count)))
}

/// Returns true if a step is the first of a call.
fn is_entry(index: &Index, record: &StepRecord) -> bool {
    is_first(index, record.thread, record.step)
}

fn is_first(index: &Index, thread: ThreadId, step: Step) -> bool {
    let calls = index.calls();
    let innermost = calls.innermost_at(thread, step.before());
    innermost
        .and_then(|id| calls.get(id))
        .is_some_and(|call| call.entry_step == Some(step))
}
