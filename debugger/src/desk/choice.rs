//! Which trace is opened, and what is read with it.

use std::path::PathBuf;

use crate::session::OpenOptions;

/// Which trace to open.
#[derive(Clone, Debug)]
pub enum TraceChoice {
    /// A file.
    Path(Box<OpenOptions>),
    /// The trace that the program carries.
    Demo,
    /// That of a session.
    Session {
        /// The session.
        file: PathBuf,
        /// Where its trace is; none: where the session says, or beside it.
        trace: Option<PathBuf>,
    },
}

/// Whether what was kept about traces is read unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionPolicy {
    /// It is.
    Sessions,
    /// A picture or a script must not depend on it.
    Nothing,
}

impl TraceChoice {
    /// A trace that is opened in this way.
    pub fn of(options: OpenOptions) -> Self {
        Self::Path(Box::new(options))
    }
}
