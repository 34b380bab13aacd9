//! Of which steps it is told what they read and write.

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::{Direction, StepRange};

/// Steps whose reads and writes are listed, or calls that are compared. Calls are named by a position in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EffectsOf {
    /// The innermost call around a position.
    Call(Position),
    /// The round of the innermost loop around a position.
    Round(Position),
    /// Some steps.
    Range(StepRange),
    /// How the innermost call around a position differs from another one of its function.
    Comparison(Position, OtherCall),
}

/// The call that one is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OtherCall {
    /// The last or next one of the same function.
    Near(Direction),
    /// The innermost one of the same function around a position.
    Around(Position),
}
