//! What is wrong with a command line, as far as only the trace shows it.

use std::fmt;

use anyhow::Error;
use stepback_index::QueryError;

use stepback_debugger::analysis::names::NameError;
use stepback_debugger::place;

/// What was typed means nothing in this trace, in a sentence.
#[derive(Debug)]
pub struct Misspelt(pub String);

impl fmt::Display for Misspelt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misspelt {}

/// Makes an error one of the command line if it says that a register, a thread or a position is not in the trace.
/// A value that the trace does not know is none.
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
