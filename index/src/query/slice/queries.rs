//! The slice queries: [`BackwardSliceQuery`] for the origin of a value, with rows newest first, and
//! [`ForwardSliceQuery`] for its uses, with rows oldest first. [`DefinedValues`] infers the values
//! that a step of a slice defines if the trace states none.

use stepback_machine::RegisterId;
use stepback_parsers::{Position, Step};

use crate::answers::cell::{AccessKinds, Cell, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{
    Edge, EdgeKinds, SliceCell, SliceDefinition, SliceEnd, SliceEndKind, SliceRow, SliceStep,
    SliceUse,
};
use crate::index::Index;
use crate::inference::access_values::fill_cells;
use crate::query::access::NearestAccess;
use crate::query::question::Query;
use crate::query::slice::onward::ForwardSliceWalk;
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
    /// Maximum number of steps; the rest of the worklist then ends with [`crate::answer::SliceEndKind::Limit`].
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

/// Finds the uses of a cell's value at a position: the steps that use it, oldest first, each once,
/// and everything computed from them, until the value is overwritten everywhere.
///
/// An instruction that was not executed uses nothing. Stores that show more than
/// [`crate::answer::LATE_STEPS`] steps after their own are not seen. In its rows
/// [`crate::answer::SliceStep::wanted_by`] names the earlier steps from which a step has the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForwardSliceQuery {
    /// Cell.
    pub cell: Cell,
    /// Position.
    pub at: Position,
    /// Edges that are traced besides data. With control edges, a branch or a call that uses the
    /// value leads to everything that ran because of it, up to its join point.
    pub edges: EdgeKinds,
    /// Maximum number of steps; values still traced then end with [`crate::answer::SliceEndKind::Limit`].
    pub limit: usize,
}

impl ForwardSliceQuery {
    /// Returns the walk that finds the rows one by one, to show them as they come.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn walk<'a>(
        &self,
        index: &'a Index,
        cancel: &Cancel,
    ) -> Result<ForwardSliceWalk<'a>, QueryError> {
        ForwardSliceWalk::new(index, self, None, cancel)
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
    ) -> Result<ForwardSliceWalk<'a>, QueryError> {
        ForwardSliceWalk::new(index, self, thread, cancel)
    }

    /// Returns the end of a value that is overwritten before it is read; none for untraced kinds of
    /// cell.
    pub(super) fn overwritten(
        &self,
        index: &Index,
        cancel: &Cancel,
    ) -> Result<Option<SliceEnd>, QueryError> {
        let writer =
            NearestAccess::next(self.cell, AccessKinds::Writes, self.at).hit(index, cancel)?;
        let flag_bits = |thread| index.instruction_set(thread).flag_bits();
        let writer = writer.map(|hit| hit.record.step);
        Ok(self.overwritten_by(writer, flag_bits))
    }

    /// Returns the end of a value that is overwritten before it is read, given the next writer of
    /// the cell.
    pub(crate) fn overwritten_by(
        &self,
        by: Option<Step>,
        flag_bits: impl Fn(ThreadId) -> u64,
    ) -> Option<SliceEnd> {
        let cell = match self.cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                SliceCell::Flags {
                    thread,
                    bits: flag_bits(thread),
                }
            }
            Cell::Register { thread, view } => SliceCell::Register { thread, view },
            Cell::Memory { address, len_bytes } => SliceCell::Memory { address, len_bytes },
            Cell::Physical { .. } => return None,
        };
        let wanted_by = vec![SliceUse {
            step: None,
            edge: Edge::Data,
        }];
        Some(SliceEnd {
            end: SliceEndKind::Overwritten { by },
            cell,
            wanted_by,
            doubt: None,
        })
    }
}

impl Query for ForwardSliceQuery {
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
