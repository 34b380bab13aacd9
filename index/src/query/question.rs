//! The trait of all queries.

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
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
