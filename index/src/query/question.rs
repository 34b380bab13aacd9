//! The traits of all queries. A [`Query`] is a pure function of an index and its own fields. An
//! [`InMemory`] query reads memory, and [`MemoryOf`] restricts it to the process of a thread in a
//! trace of several processes.

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;

/// A query: a pure function of an index and its own fields.
pub trait Query {
    /// Type of the answer.
    type Answer;

    /// Finds the answer.
    ///
    /// # Errors
    /// See [`QueryError`]; "nothing found" and "unknown" are answers.
    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Self::Answer, QueryError>;
}

/// A query for memory that may differ between processes.
pub trait InMemory: Query {
    /// Answers for the memory that a thread sees; without one, for that of the thread that ran
    /// last.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn in_memory(
        &self,
        index: &Index,
        seen_by: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Self::Answer, QueryError>;
}

/// A query for the memory that a thread sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryOf<Q> {
    /// Thread; without one, the one that ran last before the position of the query.
    pub thread: Option<ThreadId>,
    /// The query.
    pub question: Q,
}

impl<Q: InMemory> Query for MemoryOf<Q> {
    type Answer = Q::Answer;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Q::Answer, QueryError> {
        self.question.in_memory(index, self.thread, cancel)
    }
}
