//! Finds calls by function name.

use std::collections::HashMap;
use std::ops::Range;

use stepback_index::{Call, CallId, CallTable, Cancel, QueryError};
use stepback_parsers::Position;

use super::call_rows::{CallRow, CallStepMeter};
use super::call_stack::{ArgumentRegister, SourceLineMode, stack_frames};
use super::frame_words::entered_words;
use super::names::{frame_name, function_name};
use crate::action::StepRange;
use crate::session::Session;

/// Calls that match a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallMatches {
    /// First matching calls, in call table order.
    pub rows: Vec<CallRow>,
    /// Number of all matching calls.
    pub count: u64,
}

/// Filter for calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallNameFilter {
    /// Part of the function name, case-insensitive; empty for all functions.
    pub text: String,
    /// Range in which the call is entered; none for the whole trace.
    pub range: Option<StepRange>,
}

impl CallNameFilter {
    /// Returns true if the filter restricts anything.
    pub fn is_any(&self) -> bool {
        self.range.is_some() || !self.text.is_empty()
    }

    /// Returns the ranges of call numbers that may match, in call table order.
    fn candidates(&self, calls: &CallTable) -> Vec<Range<u64>> {
        let Some(StepRange { first, last }) = self.range else {
            return std::iter::once(0..calls.len()).collect();
        };
        // A frame entered at the first position was called by the step before it.
        let part = Position(first.0.saturating_sub(1))..last;
        calls
            .stacks()
            .iter()
            .map(|stack| calls.frames_within(stack, &part).called)
            .collect()
    }

    fn is_in_range(&self, call: &Call) -> bool {
        let at = call.entered_at();
        self.range
            .is_none_or(|range| (range.first..=range.last).contains(&at))
    }
}

/// Finds calls. Runs on a worker.
///
/// Cost: one look at each call of the trace or of the range, and one at each function's name.
///
/// # Errors
/// See [`QueryError`].
pub fn find_calls(
    session: &Session,
    sought: &CallNameFilter,
    limit: usize,
    cancel: &Cancel,
) -> Result<CallMatches, QueryError> {
    let calls = session.index.calls();
    let text = sought.text.to_lowercase();
    let mut matches = HashMap::new();
    let mut found = CallMatches::default();
    let mut measure = CallStepMeter::new(session);
    for id in sought.candidates(calls).into_iter().flatten().map(CallId) {
        if id.0 % 4096 == 0 {
            cancel.check()?;
        }
        let Some(call) = calls.get(id) else { break };
        let is_match = match matches.get(&call.function) {
            Some(is_match) => *is_match,
            None => {
                // The result is cached by function because a handler handles one trap.
                let is_match = frame_name(session, &call, cancel)?
                    .to_lowercase()
                    .contains(&text);
                matches.insert(call.function, is_match);
                is_match
            }
        };
        if is_match && sought.is_in_range(&call) {
            found.count += 1;
            if found.rows.len() < limit {
                found.rows.push(CallRow::new(&mut measure, id, &call)?);
            }
        }
    }
    Ok(found)
}

/// Further details of a call, besides its name and steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallWords {
    /// Values of the first argument registers: `x0=1, x1=80020340`.
    pub arguments: String,
    /// Calling function; if there is none, the kind of entry.
    pub caller: String,
}

/// Reads the details of calls. Runs on a worker. Cost: the last writes of the arguments of each
/// call.
///
/// # Errors
/// See [`QueryError`].
pub fn call_words(
    session: &Session,
    ids: &[CallId],
    cancel: &Cancel,
) -> Result<Vec<CallWords>, QueryError> {
    let calls = session.index.calls();
    let words = |id: &CallId| {
        let frames = stack_frames(session, &[*id], SourceLineMode::LeftOut, cancel)?;
        let arguments = frames.first().map_or_else(String::new, |frame| {
            frame
                .arguments
                .iter()
                .take(ARGUMENTS)
                .map(ArgumentRegister::text)
                .collect::<Vec<_>>()
                .join(", ")
        });
        let call = calls.get(*id);
        let parent = call.and_then(|call| calls.get(call.parent?));
        let entered = || call.map_or_else(String::new, |call| entered_words(&call).to_owned());
        let caller = parent.map_or_else(entered, |parent| {
            function_name(&session.images, parent.function)
        });
        Ok(CallWords { arguments, caller })
    };
    ids.iter().map(words).collect()
}

/// Maximum number of arguments shown.
const ARGUMENTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    fn sought(text: &str, range: Option<StepRange>) -> CallNameFilter {
        CallNameFilter {
            text: text.to_owned(),
            range,
        }
    }

    #[test]
    fn calls_of_a_range_are_those_that_are_entered_in_it() {
        let session = overflow();
        let all = find_calls(&session, &sought("", None), usize::MAX, &Cancel::default()).unwrap();
        assert_eq!(all.count, session.index.calls().len());
        let range = StepRange {
            first: Position(85),
            last: Position(900),
        };
        let inside = find_calls(
            &session,
            &sought("", Some(range)),
            usize::MAX,
            &Cancel::default(),
        )
        .unwrap();
        let is_inside = |row: &&CallRow| (85..=900).contains(&row.call.entered_at().0);
        let expected: Vec<CallId> = all
            .rows
            .iter()
            .filter(is_inside)
            .map(|row| row.first)
            .collect();
        assert_eq!(
            inside.rows.iter().map(|row| row.first).collect::<Vec<_>>(),
            expected
        );
        assert!(expected.len() > 10 && expected.len() < all.rows.len());
    }

    #[test]
    fn calls_are_found_by_a_part_of_the_name() {
        let found = find_calls(&overflow(), &sought("00328", None), 3, &Cancel::default()).unwrap();
        assert_eq!((found.rows.len(), found.count), (3, 36));
        let ids: Vec<CallId> = found.rows.iter().map(|row| row.first).collect();
        let words = call_words(&overflow(), &ids, &Cancel::default()).unwrap();
        let callers: Vec<&str> = words.iter().map(|words| words.caller.as_str()).collect();
        assert_eq!(callers, ["80000390"; 3]);
        assert!(
            words.iter().all(|words| words.arguments.starts_with("x0=")),
            "{words:?}"
        );
    }
}
