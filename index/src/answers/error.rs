//! Errors of queries, builds and opening, and the [`Cancel`] flag that ends a query or a build
//! early. Cancellation is an error, so that loops leave with `?`. An unknown value is an answer and
//! never an error.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stepback_parsers::{Position, SourceError};

/// Error of a query.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The query was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The trace could not be read again.
    #[error("the trace could not be read: {0}")]
    Source(#[from] SourceError),
    /// The trace is no longer the one that was indexed.
    #[error("the trace changed since it was indexed: reload it")]
    TraceChanged,
    /// A checksum of the index does not match.
    #[error("the index is damaged ({part}): rebuild it")]
    Damaged {
        /// Damaged part.
        part: String,
    },
    /// The trace does not record the requested data.
    #[error("this {format} trace does not record {what}")]
    NotRecorded {
        /// Format of the trace.
        format: String,
        /// Kind of data, such as `"reads of registers"`.
        what: &'static str,
    },
    /// The position is beyond the end of the trace.
    #[error("position {requested} is past the end of the trace, which is position {end}", requested = .requested.0, end = .end.0)]
    BeyondEnd {
        /// Requested position.
        requested: Position,
        /// The last position.
        end: Position,
    },
    /// The range was remapped more often than is tracked.
    #[error("this memory was remapped more than {0} times: request fewer bytes")]
    TooManyPages(usize),
    /// The range is longer than a query processes at once.
    #[error("{requested} bytes exceed the limit of a slice: request at most {limit}")]
    TooLong {
        /// Requested number of bytes.
        requested: u64,
        /// Maximum number of bytes.
        limit: u64,
    },
    /// The trace has no such thread.
    #[error("the trace has no thread {0:?}")]
    NoThread(String),
}

impl QueryError {
    /// Returns none instead of [`QueryError::NotRecorded`], for one part of a larger answer.
    ///
    /// # Errors
    /// Any other error.
    pub fn if_recorded<T>(answer: Result<T, Self>) -> Result<Option<T>, Self> {
        match answer {
            Err(Self::NotRecorded { .. }) => Ok(None),
            answer => answer.map(Some),
        }
    }
}

/// Error of an index build.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The build was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The trace could not be read.
    #[error("the trace could not be read: {0}")]
    Source(#[from] SourceError),
    /// The index could not be written.
    #[error("the index could not be written: {error}: {path:?}")]
    Write {
        /// Path of the index.
        path: PathBuf,
        /// Cause.
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

/// Error of the sequential pass of a build.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PassError {
    /// The index could not be written, or the written part could not be read back.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The segments of the index could not be read.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Reason why an index file cannot be used. Each message completes "the index was rebuilt: ".
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file does not exist.
    #[error("there was none")]
    Missing,
    /// The operating system refused to read the file.
    #[error("it could not be read ({0})")]
    Read(#[source] io::Error),
    /// The file exists but is not an index.
    #[error("not the index of a trace")]
    Foreign,
    /// The file has the format of another version of the program.
    #[error("it has version {found}, this program writes version {expected}")]
    Version {
        /// Version of the file.
        found: u32,
        /// Version that this program writes.
        expected: u32,
    },
    /// The file is incomplete: its writer was stopped.
    #[error("it is incomplete")]
    Incomplete,
    /// The bytes differ from those that were written.
    #[error("it is damaged ({0})")]
    Damaged(&'static str),
    /// The trace is no longer the one that was indexed.
    #[error("{0}")]
    Stale(&'static str),
}

/// A cancellation flag. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests that work under this flag stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an error once [`Self::cancel`] was called, so that loops can leave with `?`.
    ///
    /// # Errors
    /// [`QueryError::Cancelled`].
    pub fn check(&self) -> Result<(), QueryError> {
        if self.is_cancelled() {
            Err(QueryError::Cancelled)
        } else {
            Ok(())
        }
    }
}
