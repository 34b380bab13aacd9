//! Errors that decide the exit status of a command.

use std::fmt;
use std::io;

use anyhow::Error;
use stepback_debugger::analysis::names::NameError;
use stepback_debugger::messages::{chain_words, system_words};
use stepback_debugger::place;
use stepback_index::QueryError;

/// Reason why a command ends with a certain status. All other errors end it with status 1.
#[derive(Debug)]
pub enum CommandError {
    /// An argument is malformed, whatever the trace. Status 2, with the usage.
    Malformed(String),
    /// An argument has no meaning in this trace. Status 2.
    Usage(String),
    /// Another file or a port cannot be used. The message names it.
    Elsewhere(String),
    /// The answer is negative and the status reports it. The answer is already printed.
    Negative,
    /// The answer cannot be written.
    Output {
        /// Cause.
        error: io::Error,
        /// Name of the destination.
        target: String,
    },
}

impl CommandError {
    /// Returns true if the reader closed the pipe, as `head` does. This is no error.
    pub fn is_reader_gone(&self) -> bool {
        matches!(self, Self::Output { error, .. } if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Returns true if an error is only the status of a negative answer.
    pub fn is_negative(error: &Error) -> bool {
        matches!(error.downcast_ref(), Some(Self::Negative))
    }

    /// Turns an error about a missing register, thread or position into a usage error and adds the
    /// file. Errors about the output name another file and stay unchanged.
    pub fn about(file: &str, error: Error) -> Error {
        let is_misspelt = error.downcast_ref().is_some_and(NameError::is_misspelt)
            || place::is_misnamed(&error)
            || matches!(
                error.downcast_ref(),
                Some(QueryError::NoThread(_) | QueryError::NotRecorded { .. })
            );
        let about_file = || format!("{file}: {}", chain_words(&error));
        match error.downcast_ref() {
            Some(Self::Output { .. } | Self::Negative | Self::Elsewhere(_)) => error,
            Some(Self::Usage(_)) => Self::Usage(about_file()).into(),
            _ if is_misspelt => Self::Usage(about_file()).into(),
            _ => Error::msg(about_file()),
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(message) | Self::Usage(message) | Self::Elsewhere(message) => {
                f.write_str(message)
            }
            Self::Negative => f.write_str("the answer is negative"),
            Self::Output { error, target } => {
                let why = system_words(error);
                write!(f, "{target}: the output could not be written ({why})")
            }
        }
    }
}

impl std::error::Error for CommandError {}
