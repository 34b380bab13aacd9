//! Calls by the names of their functions.

use std::collections::HashMap;

use stepback_index::{CallId, Cancel, QueryError};

use super::call_tree::{CallRow, Measure};
use super::names::frame_name;
use crate::session::Session;

/// Calls of functions whose name contains a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundCalls {
    /// The first of them, in the order of the table.
    pub rows: Vec<CallRow>,
    /// All of them.
    pub count: u64,
}

/// Looks for calls by the name of the function, in any case. Runs on a worker.
///
/// Cost: one look at each call of the trace, one at each function's name.
///
/// # Errors
/// See [`QueryError`].
pub fn find_calls(session: &Session, text: &str, limit: usize, cancel: &Cancel) -> Result<FoundCalls, QueryError> {
    let calls = session.index.calls();
    let text = text.to_lowercase();
    let mut matches = HashMap::new();
    let mut found = FoundCalls::default();
    let mut measure = Measure::new(session);
    for id in (0..calls.len()).map(CallId) {
        if id.0 % 4096 == 0 {
            cancel.check()?;
        }
        let Some(call) = calls.get(id) else { break };
        let is_match = match matches.get(&call.function) {
            Some(is_match) => *is_match,
            None => {
                // A handler is for one trap.
                let is_match = frame_name(session, &call, cancel)?.to_lowercase().contains(&text);
                matches.insert(call.function, is_match);
                is_match
            }
        };
        if is_match {
            found.count += 1;
            if found.rows.len() < limit {
                found.rows.push(CallRow::new(&mut measure, id, &call)?);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[test]
    fn calls_are_found_by_a_part_of_the_name() {
        let found = find_calls(&overflow(), "00328", 3, &Cancel::default()).unwrap();
        assert_eq!((found.rows.len(), found.count), (3, 36));
    }
}
