//! Choice of the steps whose reads and writes are listed.

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::{Direction, StepRange};

/// Steps whose reads and writes are listed, or calls to compare. A position identifies the call
/// that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EffectsOf {
    /// The innermost call around a position.
    Call(Position),
    /// The round of the innermost loop around a position.
    Round(Position),
    /// A range of steps.
    Range(StepRange),
    /// The difference between the innermost call around a position and another call of its
    /// function.
    Comparison(Position, OtherCall),
}

/// The call to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OtherCall {
    /// The last or next one of the same function.
    Near(Direction),
    /// The innermost one of the same function around a position.
    Around(Position),
}
