//! Walks a slice backward or forward.

use stepback_index::{
    BackwardSliceQuery, BackwardSliceWalk, Cancel, Cell, EdgeKinds, ForwardSliceQuery,
    ForwardSliceWalk, Index, QueryError, SliceRowDetail,
};
use stepback_parsers::Position;

/// Parameters of a walk.
#[derive(Clone, Copy, Debug)]
pub struct SliceTraversalQuery {
    pub cell: Cell,
    /// Position at which the cell has the value.
    pub at: Position,
    /// Edges to follow besides data.
    pub edges: EdgeKinds,
    /// Maximum number of steps.
    pub limit: usize,
    /// Follows the uses of the value instead of its origin.
    pub forward: bool,
}

/// Walk in progress.
pub enum SliceTraversal<'a> {
    /// Backward, to the origin of a value.
    Back(BackwardSliceWalk<'a>),
    /// Forward, to the uses of a value.
    Onward(ForwardSliceWalk<'a>),
}

impl<'a> SliceTraversal<'a> {
    /// Starts a walk.
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

    /// Returns the next row; none when all chains have ended.
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

    /// Returns the number of cells that are still to be followed.
    pub fn left(self) -> usize {
        match self {
            Self::Back(walk) => walk.what_is_left().len(),
            Self::Onward(walk) => walk.what_is_left().len(),
        }
    }
}
