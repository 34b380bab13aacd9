//! Errors of tools, with kinds that do not change ([`ToolError`]).

use std::fmt;

use anyhow::Error;
use serde_json::{Value as Json, json};
use stepback_debugger::analysis::names::{NameError, damage_in};
use stepback_debugger::expression::ExpressionErrorKind;
use stepback_debugger::place;
use stepback_index::QueryError;

use super::compact::cut_text;
use crate::cli::error::CommandError;

/// Maximum length of a message in bytes.
const MESSAGE_BYTES: usize = 600;

/// Kind of an error. Clients may depend on the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An argument is missing, has the wrong type, or is malformed.
    BadArgument,
    /// The cursor belongs to another answer or was altered.
    BadCursor,
    /// The position is malformed or not in the trace.
    BadPosition,
    /// No register, symbol or thread has this name.
    UnknownName,
    /// The expression has no known value at this position.
    UnknownValue,
    /// The trace does not record such data.
    NotRecorded,
    /// No second trace was named on the command line.
    NoOtherTrace,
    /// The trace is still being indexed.
    NotReady,
    /// The query took too long.
    TooSlow,
    /// The client cancelled the call.
    Cancelled,
    /// The file of the trace has changed.
    TraceChanged,
    /// The index is damaged.
    IndexDamaged,
    /// Any other failure.
    Internal,
}

impl ErrorKind {
    /// Returns the word for the client.
    pub fn word(self) -> &'static str {
        match self {
            Self::BadArgument => "bad_argument",
            Self::BadCursor => "bad_cursor",
            Self::BadPosition => "bad_position",
            Self::UnknownName => "unknown_name",
            Self::UnknownValue => "unknown_value",
            Self::NotRecorded => "not_recorded",
            Self::NoOtherTrace => "no_other_trace",
            Self::NotReady => "not_ready",
            Self::TooSlow => "too_slow",
            Self::Cancelled => "cancelled",
            Self::TraceChanged => "trace_changed",
            Self::IndexDamaged => "index_damaged",
            Self::Internal => "internal",
        }
    }

    /// Returns what to do next, for errors of queries.
    fn usual_hint(self) -> &'static str {
        match self {
            Self::BadPosition => {
                "give 0 to the number of steps, start, end, 50%, line:N, time:T, pc:ADDR or pc:ADDR#K"
            }
            Self::UnknownName => {
                "state lists the registers and overview the threads; symbols need an image, and \
                 addresses begin with 0x"
            }
            Self::UnknownValue => "give the address as a number, or ask at another position",
            Self::NotRecorded => "overview names the format; ask for something that it records",
            Self::TraceChanged => "restart the server",
            Self::IndexDamaged => "run `stepback index TRACE --force-index` and restart the server",
            Self::TooSlow => "narrow the question: a later position, a thread, a smaller range",
            Self::NotReady => "call again in a moment",
            Self::NoOtherTrace => "restart the server with --compare OTHER_TRACE",
            Self::BadCursor => "repeat the call without a cursor",
            Self::BadArgument | Self::Cancelled | Self::Internal => {
                "tools/list describes the arguments of each tool"
            }
        }
    }
}

/// An error of a tool: the answer is this instead of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    pub kind: ErrorKind,
    message: String,
    hint: String,
}

impl ToolError {
    /// Creates an error with a message and what to do next.
    pub fn new(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Creates an error with the usual hint for its kind.
    pub fn of_kind(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, message, kind.usual_hint())
    }

    /// Returns the content for the client.
    pub fn json(&self) -> Json {
        json!({"error": {
            "kind": self.kind.word(),
            "message": cut_text(&self.message, MESSAGE_BYTES),
            "hint": cut_text(&self.hint, MESSAGE_BYTES),
        }})
    }
}

impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => error,
            Err(error) => Self::of_kind(kind_of(&error), format!("{error:#}")),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ToolError {}

/// Classifies an error of a query.
fn kind_of(error: &Error) -> ErrorKind {
    if damage_in(error).is_some() {
        return ErrorKind::IndexDamaged;
    }
    if place::is_misnamed(error) {
        return ErrorKind::BadPosition;
    }
    match error.downcast_ref() {
        Some(NameError::Trace(query)) => return kind_of_query(query),
        Some(name) if name.is_unknown_here() => return ErrorKind::UnknownValue,
        Some(name) if is_unknown_name(name) => return ErrorKind::UnknownName,
        Some(name) if name.is_misspelt() => return ErrorKind::BadArgument,
        Some(_) => return ErrorKind::Internal,
        None => {}
    }
    match (error.downcast_ref(), error.downcast_ref()) {
        (Some(query), _) => kind_of_query(query),
        (None, Some(CommandError::Malformed(_) | CommandError::Usage(_))) => ErrorKind::BadArgument,
        (None, _) => ErrorKind::Internal,
    }
}

/// Returns true if the text is well-formed but names nothing in the trace and its images.
fn is_unknown_name(error: &NameError) -> bool {
    use ExpressionErrorKind::{NoImages, NoName, NoRegister, NoSymbol, ThreadLocal};
    match error {
        NameError::Expression { error, .. } => {
            let kind = &error.kind;
            matches!(
                kind,
                NoName(_) | NoRegister(_) | NoSymbol(_) | NoImages(_) | ThreadLocal(_)
            )
        }
        NameError::NoPart(_) => true,
        _ => false,
    }
}

fn kind_of_query(error: &QueryError) -> ErrorKind {
    match error {
        QueryError::Cancelled => ErrorKind::Cancelled,
        QueryError::TraceChanged => ErrorKind::TraceChanged,
        QueryError::Damaged { .. } => ErrorKind::IndexDamaged,
        QueryError::NotRecorded { .. } => ErrorKind::NotRecorded,
        QueryError::BeyondEnd { .. } => ErrorKind::BadPosition,
        QueryError::NoThread(_) => ErrorKind::UnknownName,
        QueryError::TooManyPages(_) | QueryError::TooLong { .. } => ErrorKind::BadArgument,
        _ => ErrorKind::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: impl Into<Error>, expected: &str) {
        let error = ToolError::from(error.into());
        assert_eq!(error.kind.word(), expected, "{error}");
    }

    #[test]
    fn errors_of_queries_have_their_kinds() {
        let not_recorded = QueryError::NotRecorded {
            format: "stf".to_owned(),
            what: "lines",
        };
        check(not_recorded, "not_recorded");
        check(QueryError::TraceChanged, "trace_changed");
        check(QueryError::Cancelled, "cancelled");
        check(QueryError::NoThread("cpu9".to_owned()), "unknown_name");
        let damaged = QueryError::Damaged {
            part: "calls".to_owned(),
        };
        check(damaged, "index_damaged");
        check(NameError::Trace(QueryError::TraceChanged), "trace_changed");
        check(NameError::EmptyRange("x:0".to_owned()), "bad_argument");
        check(CommandError::Usage("wrong".to_owned()), "bad_argument");
        check(Error::msg("other"), "internal");
    }

    #[test]
    fn an_error_of_a_tool_passes_through_a_query() {
        let error = ToolError::of_kind(ErrorKind::NotReady, "later");
        check(error, "not_ready");
    }
}
