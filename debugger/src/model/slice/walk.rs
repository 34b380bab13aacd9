//! The walk through a slice, one way or the other.

use stepback_index::{
    Cancel, Cell, EdgeKinds, Index, Influence, OnwardWalk, QueryError, SeenRow, SliceWalk, Why,
};
use stepback_parsers::Position;

/// What is walked.
#[derive(Clone, Copy, Debug)]
pub struct WalkOf {
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
pub enum Walk<'a> {
    /// To where a value comes from.
    Back(SliceWalk<'a>),
    /// To where it went.
    Onward(OnwardWalk<'a>),
}

impl<'a> Walk<'a> {
    /// Begins one.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn new(index: &'a Index, of: &WalkOf, cancel: &Cancel) -> Result<Self, QueryError> {
        let WalkOf {
            cell,
            at,
            edges,
            limit,
            forward,
        } = *of;
        if forward {
            return Ok(Self::Onward(
                Influence {
                    cell,
                    at,
                    edges,
                    limit,
                }
                .walk(index, cancel)?,
            ));
        }
        Ok(Self::Back(
            Why {
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
    pub fn next(&mut self, cancel: &Cancel) -> Result<Option<SeenRow>, QueryError> {
        match self {
            Self::Back(walk) => walk.next_seen(cancel),
            Self::Onward(walk) => Ok(walk.next(cancel)?.map(|row| SeenRow { row, sight: None })),
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
