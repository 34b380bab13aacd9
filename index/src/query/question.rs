//! What a question is.

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::index::Index;

/// A question: a pure function of an index and its own fields.
pub trait Query {
    /// What it answers with.
    type Answer;

    /// Finds the answer.
    ///
    /// # Errors
    /// See [`QueryError`]; "nothing found" and "unknown" are answers.
    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Self::Answer, QueryError>;
}
