//! [`SliceQuery`]: the slice of a value, back to its origin with rows newest first, or forward to
//! its uses with rows oldest first. [`DefinedValues`] infers the values that a step of a slice
//! defines if the trace states none.

use stepback_parsers::Position;

use crate::answers::cell::{Cell, Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{EdgeKinds, SliceDefinition, SliceRow, SliceStep};
use crate::index::Index;
use crate::inference::access_values::fill_cells;
use crate::query::question::Query;
use crate::query::slice::onward::ForwardSliceWalk;
use crate::query::slice::walk::BackwardSliceWalk;

/// Finds the steps that a cell's value at a position comes from, or the steps that use it, each
/// once, and the ends of the chains.
///
/// Backward, the newest step comes first. Forward, the oldest comes first, and the walk follows
/// everything computed from the value until it is overwritten everywhere:
/// [`SliceStep::wanted_by`] names the earlier steps from which a step has the value. An instruction
/// that was not executed uses nothing. Stores that show more than [`crate::answer::LATE_STEPS`]
/// steps after their own are not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SliceQuery {
    /// Cell.
    pub cell: Cell,
    /// Position of the value.
    pub at: Position,
    /// Back to the origin of the value, or forward to its uses.
    pub direction: Direction,
    /// Edges that are traced besides data. Forward with control edges, a branch or a call that uses
    /// the value leads to everything that ran because of it, up to its join point.
    pub edges: EdgeKinds,
    /// Maximum number of steps; values still traced then end with
    /// [`crate::answer::SliceEndKind::Limit`].
    pub limit: usize,
}

/// Iterates over the rows of a slice, to show them as they are found.
pub struct SliceWalk<'a> {
    traversal: Traversal<'a>,
    /// Number of steps until the limit.
    steps_left: usize,
}

enum Traversal<'a> {
    Back(BackwardSliceWalk<'a>),
    Forward(ForwardSliceWalk<'a>),
}

impl SliceQuery {
    /// Starts the walk. In a trace of several processes, memory is what `thread` sees; without one,
    /// what the thread of the position sees.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn walk<'a>(
        &self,
        index: &'a Index,
        thread: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<SliceWalk<'a>, QueryError> {
        let traversal = match self.direction {
            Direction::Back => {
                Traversal::Back(BackwardSliceWalk::new(index, self, thread, cancel)?)
            }
            Direction::Forward => {
                Traversal::Forward(ForwardSliceWalk::new(index, self, thread, cancel)?)
            }
        };
        Ok(SliceWalk {
            traversal,
            steps_left: self.limit,
        })
    }
}

impl SliceWalk<'_> {
    /// Returns the next row; none when all chains have ended or the limit is reached.
    ///
    /// # Errors
    /// See [`QueryError`]; a walk that was cancelled must be restarted.
    pub fn next(&mut self, cancel: &Cancel) -> Result<Option<SliceRow>, QueryError> {
        if self.steps_left == 0 {
            return Ok(None);
        }
        let row = match &mut self.traversal {
            Traversal::Back(walk) => walk.next(cancel)?,
            Traversal::Forward(walk) => walk.next(cancel)?,
        };
        self.steps_left -= usize::from(matches!(row, Some(SliceRow::Step(_))));
        Ok(row)
    }

    /// Ends the walk; returns what was still to be traced as the ends of its chains. Empty when all
    /// chains have ended.
    #[must_use]
    pub fn into_rest(self) -> Vec<SliceRow> {
        match self.traversal {
            Traversal::Back(walk) => walk.into_rest(),
            Traversal::Forward(walk) => walk.into_rest(),
        }
    }
}

impl Query for SliceQuery {
    type Answer = Vec<SliceRow>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<SliceRow>, QueryError> {
        let mut walk = self.walk(index, None, cancel)?;
        let mut rows = Vec::new();
        while let Some(row) = walk.next(cancel)? {
            rows.push(row);
        }
        rows.extend(walk.into_rest());
        Ok(rows)
    }
}

/// Returns the cells that a step of a slice defines, with inferred values if the trace states none.
/// Cost: if it states none, some hundred steps around are read.
#[derive(Clone, Copy, Debug)]
pub struct DefinedValues<'r>(pub &'r SliceStep);

impl Query for DefinedValues<'_> {
    type Answer = Vec<SliceDefinition>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<SliceDefinition>, QueryError> {
        let mut defines = self.0.defines.clone();
        fill_cells(index, self.0.step, &mut defines, cancel)?;
        Ok(defines)
    }
}
