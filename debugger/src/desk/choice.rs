//! Choice of the trace to open and of the saved state to read with it.

use std::path::PathBuf;

use crate::session::OpenOptions;

/// A trace to open.
#[derive(Clone, Debug)]
pub enum TraceChoice {
    /// A file.
    Path(Box<OpenOptions>),
    /// The built-in demo trace.
    Demo,
    /// The trace of a session file.
    Session {
        /// Session file.
        file: PathBuf,
        /// Path of the trace; none: the path in the session, or the directory of the session file.
        trace: Option<PathBuf>,
    },
}

/// Policy for reading saved sessions that the user did not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionPolicy {
    /// Saved sessions are read.
    Sessions,
    /// Nothing is read: a screenshot or a script must not depend on saved state.
    Nothing,
}

impl TraceChoice {
    /// Creates the choice for a trace that is opened with these options.
    pub fn of(options: OpenOptions) -> Self {
        Self::Path(Box::new(options))
    }
}
