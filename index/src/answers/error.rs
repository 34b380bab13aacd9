//! What can go wrong.

use std::io;
use std::path::PathBuf;

use stepback_parsers::{Position, SourceError};

/// A question could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// Somebody asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// The trace could not be read again.
    #[error("the trace could not be read: {0}")]
    Source(#[from] SourceError),
    /// The trace is no longer what was indexed.
    #[error("the trace changed since it was indexed: reload it")]
    TraceChanged,
    /// A checksum of the index does not hold.
    #[error("the index is damaged ({part}): rebuild it")]
    Damaged {
        /// Which part.
        part: String,
    },
    /// The trace does not record what was asked for.
    #[error("{format} traces do not record {what}")]
    NotRecorded {
        /// The trace's format.
        format: String,
        /// Such as `"reads of registers"`.
        what: &'static str,
    },
    /// No such position.
    #[error("position {asked} is beyond the end of the trace, which is position {end}", asked = .asked.0, end = .end.0)]
    BeyondEnd {
        /// What was asked for.
        asked: Position,
        /// The last position.
        end: Position,
    },
    /// Too much is told of the memory that was asked for to be remembered.
    #[error(
        "the trace tells more often than {0} times where this memory lies: ask for fewer bytes"
    )]
    TooManyPages(usize),
    /// More memory than is gone into at once.
    #[error("{asked} bytes are more than are followed at once: ask for at most {limit}")]
    TooLong {
        /// How many were asked for.
        asked: u64,
        /// How many may be.
        limit: u64,
    },
    /// No such thread.
    #[error("the trace has no thread {0:?}")]
    NoThread(String),
}

/// An index could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Somebody asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// The trace could not be read.
    #[error("the trace could not be read: {0}")]
    Source(#[from] SourceError),
    /// The index could not be written.
    #[error("the index could not be written: {error}: {path:?}")]
    Write {
        /// Where to.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The trace changed while it was being indexed.
    #[error("the trace changed while it was being indexed: try again when its writer is done")]
    TraceChanged,
    /// The workers could not be started.
    #[error("worker threads could not be started: {0}")]
    Workers(String),
    /// The new index could not be queried.
    #[error("the new index could not be used: {0}")]
    Query(QueryError),
    /// The new index could not be opened.
    #[error("the new index could not be opened: {0}")]
    Open(#[from] OpenError),
}

impl From<QueryError> for BuildError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Cancelled => Self::Cancelled,
            QueryError::Source(error) => Self::Source(error),
            QueryError::TraceChanged => Self::TraceChanged,
            other => Self::Query(other),
        }
    }
}

/// What stops the pass in order.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PassError {
    /// The index could not be written, or what was written could not be read back.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The segments indexed so far could not be read.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// An index file cannot be used. Each reason is worded to follow "the index was rebuilt: ".
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is none.
    #[error("there was none")]
    Missing,
    /// The operating system refused.
    #[error("it could not be read ({0})")]
    Read(#[source] io::Error),
    /// Something else bears its name.
    #[error("it is no Stepback index")]
    Foreign,
    /// Another version of the program wrote it.
    #[error("it has version {found}, this program writes version {expected}")]
    Version {
        /// What the file says.
        found: u32,
        /// What this program knows.
        expected: u32,
    },
    /// Its writer was stopped.
    #[error("it is incomplete")]
    Incomplete,
    /// Its bytes are not what was written.
    #[error("it is damaged ({0})")]
    Damaged(&'static str),
    /// The trace is no longer the one that was indexed.
    #[error("{0}")]
    Stale(&'static str),
}
