//! Types that actions of several groups contain.

use serde::{Deserialize, Serialize};
pub use stepback_index::answer::Direction;
use stepback_parsers::Position;

/// Number of a trace of a window. The default is the first trace.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct TraceId(pub u32);

/// Number of a trace window: 1, 2, … Each has its own position in one trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WindowId(pub u32);

/// A part of a trace, from one position to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StepRange {
    /// First position.
    pub first: Position,
    /// Last position, not before the first.
    pub last: Position,
}
