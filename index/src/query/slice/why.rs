//! Query for a backward slice.

use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::cell::Cell;
use crate::answers::error::QueryError;
use crate::answers::slice::{EdgeKinds, SliceRow};
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::query::slice::walk::BackwardSliceWalk;

/// Finds the origin of a cell's value at a position: the steps that it comes from, newest first,
/// each once, and the ends of the chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BackwardSliceQuery {
    /// Cell.
    pub cell: Cell,
    /// Position.
    pub at: Position,
    /// Edges that are traced besides data.
    pub edges: EdgeKinds,
    /// Maximum number of steps; the rest of the worklist then ends with [`crate::SliceEndKind::Limit`].
    pub limit: usize,
}

impl BackwardSliceQuery {
    /// Returns the walk that finds the rows one by one, to show them as they come.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn walk<'a>(
        &self,
        index: &'a Index,
        cancel: &Cancel,
    ) -> Result<BackwardSliceWalk<'a>, QueryError> {
        BackwardSliceWalk::new(index, self, None, cancel)
    }

    /// Returns the walk for the memory that a thread sees, in a trace of several processes.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn walk_of<'a>(
        &self,
        index: &'a Index,
        thread: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<BackwardSliceWalk<'a>, QueryError> {
        BackwardSliceWalk::new(index, self, thread, cancel)
    }
}

impl Query for BackwardSliceQuery {
    type Answer = Vec<SliceRow>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<SliceRow>, QueryError> {
        let mut walk = self.walk(index, cancel)?;
        let (mut rows, mut steps) = (Vec::new(), 0);
        while steps < self.limit
            && let Some(row) = walk.next(cancel)?
        {
            steps += usize::from(matches!(row, SliceRow::Step(_)));
            rows.push(row);
        }
        rows.extend(walk.what_is_left());
        Ok(rows)
    }
}
