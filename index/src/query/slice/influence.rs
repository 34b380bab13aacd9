//! The question: where did the value of a cell go?

use stepback_machine::RegisterId;
use stepback_parsers::{Position, Step};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::cell::Cell;
use crate::answers::error::QueryError;
use crate::answers::slice::{
    Edge, EdgeKinds, SliceCell, SliceEnd, SliceEndKind, SliceRow, SliceUse,
};
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::access::NearestAccess;
use crate::query::question::Query;
use crate::query::slice::onward::ForwardSliceWalk;

/// Where the value went that a cell has at a position: the steps that take it in, oldest first, each once, with all that
/// is made of it, until it is overwritten everywhere.
///
/// What was not executed takes nothing in; stores that show more than [`crate::LATE_STEPS`] steps behind theirs are not seen.
/// In its rows [`crate::SliceStep::wanted_by`] names the earlier steps that a step has it from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForwardSliceQuery {
    /// Which.
    pub cell: Cell,
    /// Where.
    pub at: Position,
    /// Which edges are followed besides data. By control a branch or a call that takes the value in leads to all that ran
    /// because of it, up to where its ways meet again.
    pub edges: EdgeKinds,
    /// So many steps at most; what was still followed then ends with [`crate::End::Limit`].
    pub limit: usize,
}

impl ForwardSliceQuery {
    /// The walk that finds the rows one by one, for who shows them as they come.
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

    /// The same about the memory that a thread sees, in a trace of several processes.
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

    /// The end of a value that nothing reads before it is overwritten; none for cells whose values are not followed.
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

    /// The same where it is known which step writes the cell next.
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
