//! Questions about the memory of one process, in a trace of several.

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;

/// A question about memory, which several processes may have each.
pub trait InMemory: Query {
    /// Answers about the memory that a thread sees; without one, about that of the thread that ran last.
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

/// A question about the memory that a thread sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryOf<Q> {
    /// Which thread; without one, the one that ran last before the position of the question.
    pub thread: Option<ThreadId>,
    /// What is asked.
    pub question: Q,
}

impl<Q: InMemory> Query for MemoryOf<Q> {
    type Answer = Q::Answer;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Q::Answer, QueryError> {
        self.question.in_memory(index, self.thread, cancel)
    }
}
