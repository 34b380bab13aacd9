//! What the searches of the window find.

use stepback_parsers::Position;

use crate::action::{Direction, StepRange};
use crate::model::so_far::nothing_so_far;
use crate::session::Session;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupResult {
    /// A position.
    Position(Position),
    /// A position, and something to say about it.
    Noted(Position, String),
    /// Two positions that are compared.
    Ends(StepRange),
    /// A position that the window's is compared with.
    Other(Position),
    /// Nothing; why, as a sentence.
    Nothing(String),
}

impl LookupResult {
    /// Nothing; in the future of a trace that is not indexed as a whole that is so far.
    pub fn nothing(session: &Session, way: Direction, sentence: String) -> Self {
        Self::Nothing(match way {
            Direction::Back => sentence,
            Direction::Forward => nothing_so_far(session, sentence),
        })
    }
}
