//! The walk through a slice, one way or the other.

use stepback_index::{
    BackwardSliceQuery, BackwardSliceWalk, Cancel, Cell, EdgeKinds, ForwardSliceQuery,
    ForwardSliceWalk, Index, QueryError, SliceRowDetail,
};
use stepback_parsers::Position;

/// What is walked.
#[derive(Clone, Copy, Debug)]
pub struct SliceTraversalQuery {
    /// Of which cell.
    pub cell: Cell,
    /// Where it has the value.
    pub at: Position,
    /// What is followed besides the data.
    pub edges: EdgeKinds,
    /// So many steps at most.
    pub limit: usize,
    /// Where the value went, instead of where it comes from.
    pub forward: bool,
}

/// A walk under way.
pub enum SliceTraversal<'a> {
    /// To where a value comes from.
    Back(BackwardSliceWalk<'a>),
    /// To where it went.
    Onward(ForwardSliceWalk<'a>),
}

impl<'a> SliceTraversal<'a> {
    /// Begins one.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn new(
        index: &'a Index,
        of: &SliceTraversalQuery,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let SliceTraversalQuery {
            cell,
            at,
            edges,
            limit,
            forward,
        } = *of;
        if forward {
            return Ok(Self::Onward(
                ForwardSliceQuery {
                    cell,
                    at,
                    edges,
                    limit,
                }
                .walk(index, cancel)?,
            ));
        }
        Ok(Self::Back(
            BackwardSliceQuery {
                cell,
                at,
                edges,
                limit,
            }
            .walk(index, cancel)?,
        ))
    }

    /// The next row; none where all chains have ended.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next(&mut self, cancel: &Cancel) -> Result<Option<SliceRowDetail>, QueryError> {
        match self {
            Self::Back(walk) => walk.next_seen(cancel),
            Self::Onward(walk) => Ok(walk
                .next(cancel)?
                .map(|row| SliceRowDetail { row, sight: None })),
        }
    }

    /// How many cells are still to be gone into.
    pub fn left(self) -> usize {
        match self {
            Self::Back(walk) => walk.what_is_left().len(),
            Self::Onward(walk) => walk.what_is_left().len(),
        }
    }
}
