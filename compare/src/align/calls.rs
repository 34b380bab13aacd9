//! Resynchronisation at the ends of calls: where both threads leave the innermost common call.

use stepback_index::QueryError;
use stepback_index::answer::CallId;

use crate::align::side::Side;
use crate::region::{Alignment, StepPair};

/// Number of calls around a step that are considered, from the innermost outwards.
const CALLS: usize = 64;

/// A call around the divergence.
struct Around {
    /// Number of its first step.
    entry: u64,
    /// Number of the step after its last.
    end: Option<u64>,
}

/// Returns the places at which the threads may run in parallel again after a divergence: after a
/// call that one of them just entered, and after the innermost calls that they entered together.
/// The nearest comes first.
pub(super) fn candidates(
    a: &mut Side<'_>,
    b: &mut Side<'_>,
    at: StepPair,
    aligned: &Alignment,
) -> Result<Vec<StepPair>, QueryError> {
    let (in_a, in_b) = (around(a, at.a)?, around(b, at.b)?);
    let mut found = Vec::new();
    // An interrupt that only one thread took: its handler is an insertion.
    for call in in_a.iter().filter(|call| call.entry == at.a) {
        found.extend(call.end.map(|end| StepPair { a: end, b: at.b }));
    }
    for call in in_b.iter().filter(|call| call.entry == at.b) {
        found.extend(call.end.map(|end| StepPair { a: at.a, b: end }));
    }
    for call in in_a.iter().filter(|call| call.entry < at.a) {
        let partner = aligned.partner(call.entry);
        let other = in_b.iter().find(|other| partner == Some(other.entry));
        let ends = call.end.zip(other.and_then(|other| other.end));
        found.extend(ends.map(|(a, b)| StepPair { a, b }));
    }
    Ok(found)
}

fn around(side: &mut Side<'_>, number: u64) -> Result<Vec<Around>, QueryError> {
    let ids: Vec<CallId> = side.calls_around(number, CALLS)?;
    let calls = side.index.plain_calls();
    let mut found = Vec::new();
    for call in ids.into_iter().filter_map(|id| calls.get(id)) {
        let Some(entry) = call.entry_step else {
            continue;
        };
        let end = match call.exit_step {
            Some(exit) => Some(side.number_of(exit)? + 1),
            None => None,
        };
        found.push(Around {
            entry: side.number_of(entry)?,
            end,
        });
    }
    Ok(found)
}
