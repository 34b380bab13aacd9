//! Results of searches for a position.

use stepback_parsers::Position;

use crate::action::{Direction, StepRange};
use crate::model::so_far::nothing_so_far;
use crate::session::Session;

/// Result of a search for a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupResult {
    Position(Position),
    /// A position and a remark about it.
    Noted(Position, String),
    /// Two positions to compare.
    Ends(StepRange),
    /// A position to compare the window's position with.
    Other(Position),
    /// Nothing; the reason as a sentence.
    Nothing(String),
}

impl LookupResult {
    /// Creates a result without a hit. Forward in a partly indexed trace, the sentence says that
    /// this holds only for the indexed part.
    pub fn nothing(session: &Session, way: Direction, sentence: String) -> Self {
        Self::Nothing(match way {
            Direction::Back => sentence,
            Direction::Forward => nothing_so_far(session, sentence),
        })
    }
}
