//! Finds the call of a function nearest to a position.

use stepback_index::answer::{Direction, StepRecord, ThreadId};
use stepback_index::query::VisitsFrom;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::analysis::condition::{SearchOrigin, nearest_execution};

/// A search for the next or last call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextCall {
    /// Address of the function's first step.
    pub function: Address,
    pub direction: Direction,
    /// Position to start from; an entry at this position does not count.
    pub at: Position,
}

/// Returns the entry position of the nearest call of a function before or after a position.
///
/// Cost: the steps at the function's address on the way. Those are its calls, and jumps back to its
/// start.
///
/// # Errors
/// See [`QueryError`].
pub fn next_call(
    index: &Index,
    NextCall {
        function: pc,
        direction,
        at,
    }: NextCall,
    cancel: &Cancel,
) -> Result<Option<Position>, QueryError> {
    let mut at = at;
    loop {
        cancel.check()?;
        // A call is shown at its entry, the position before its first step.
        let course = SearchOrigin {
            from: at,
            way: direction,
        };
        let Some(hit) = nearest_execution(index, pc, course, cancel)? else {
            return Ok(None);
        };
        if is_entry(index, &hit.record) {
            return Ok(Some(hit.record.step.before()));
        }
        at = hit.record.step.before();
    }
}

/// Ordinal of a call among all calls of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallNumber {
    /// From 1.
    pub number: u64,
    /// Number of calls in all.
    pub count: u64,
}

/// Maximum number of visits of a function's first step that are examined.
const VISITS: usize = 256;

/// Returns the ordinal of the call of a function that is entered at a position; `None` if there are
/// too many calls to count at once.
///
/// # Errors
/// See [`QueryError`].
pub fn call_number(
    index: &Index,
    function: Address,
    entered: Position,
    cancel: &Cancel,
) -> Result<Option<CallNumber>, QueryError> {
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
    Ok((visits.len() <= VISITS).then_some(CallNumber { number, count }))
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
