//! Newtypes for steps, positions and lines.

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
    /// Returns the position just before this step.
    pub fn before(self) -> Position {
        Position(self.0)
    }

    /// Returns the position just after this step.
    pub fn after(self) -> Position {
        Position(self.0.saturating_add(1))
    }
}

impl Position {
    /// Returns the step just before this position; `None` at the start of the trace.
    pub fn last_step(self) -> Option<Step> {
        self.0.checked_sub(1).map(Step)
    }

    /// Returns the step just after this position, which may be beyond the end of the trace.
    pub fn next_step(self) -> Step {
        Step(self.0)
    }
}
