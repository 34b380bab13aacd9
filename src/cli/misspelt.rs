//! Command-line errors that only the trace reveals.

use std::fmt;

use anyhow::Error;
use stepback_index::QueryError;

use stepback_debugger::analysis::names::NameError;
use stepback_debugger::place;

/// Error for an argument that has no meaning in this trace. The message is a sentence.
#[derive(Debug)]
pub struct Misspelt(pub String);

impl fmt::Display for Misspelt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misspelt {}

/// Turns an error about a missing register, thread or position into a [`Misspelt`]. Leaves other
/// errors unchanged, also those about values unknown to the trace.
pub fn told_apart(error: Error) -> Error {
    let is_named_wrong =
        error.downcast_ref().is_some_and(NameError::is_misspelt) || place::is_misnamed(&error);
    let is_thread = matches!(error.downcast_ref(), Some(QueryError::NoThread(_)));
    if is_named_wrong || is_thread {
        Misspelt(format!("{error:#}")).into()
    } else {
        error
    }
}
