//! Where a trace was interrupted: by exceptions, interrupts, traps and signals that have frames.

use stepback_index::{CallId, Cancel, Entered, QueryError};

use super::schedule::{Bounded, Mark, MarkKind};
use super::trace_index::TraceIndex;

/// How often the pass looks whether it is still wanted.
const STRIDE: u64 = 4096;

/// The entries of handlers along the trace; where there are too many, those near each other are put together.
/// Cost: a look at each frame of the trace.
///
/// # Errors
/// See [`QueryError`].
pub fn exceptions(index: &TraceIndex, cancel: &Cancel) -> Result<Bounded<Mark>, QueryError> {
    let calls = index.calls();
    let mut found = Bounded::default();
    for (looked, id) in (0u64..).zip(calls.in_order(0..calls.len())) {
        if looked.is_multiple_of(STRIDE) {
            cancel.check()?;
        }
        let id: CallId = id;
        if let Some(call) = calls.get(id).filter(|call| call.entered == Entered::Exception) {
            let first = call.entered_at().0;
            found.push(Mark { first, end: first, kind: MarkKind::Kernel, count: 1 });
        }
    }
    Ok(found)
}
