//! What a number is: steps, positions and lines are types of their own.

use serde::{Deserialize, Serialize};

/// One instruction that the trace shows as reached, numbered from 0 in trace order.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Step(pub u64);

/// A gap between two steps: `Position(n)` is after step `n - 1` and before step `n`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Position(pub u64);

/// A line of a text trace, counted from 1.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Line(pub u64);

impl Step {
    /// The gap just before this step.
    pub fn before(self) -> Position {
        Position(self.0)
    }

    /// The gap just after this step.
    pub fn after(self) -> Position {
        Position(self.0.saturating_add(1))
    }
}

impl Position {
    /// The step just before this gap; none at the start of the trace.
    pub fn last_step(self) -> Option<Step> {
        self.0.checked_sub(1).map(Step)
    }

    /// The step just after this gap (which the trace may not have).
    pub fn next_step(self) -> Step {
        Step(self.0)
    }
}
