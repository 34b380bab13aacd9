//! What the timeline shows.

use serde::{Deserialize, Serialize};

/// What the timeline shows below its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimelineLanes {
    /// Calls as a flame chart.
    Calls,
    /// A lane a thread.
    Threads,
    /// A lane a core.
    Cores,
    /// Calls, and below them a lane a thread.
    CallsAndThreads,
    /// Calls, and below them a lane a core.
    CallsAndCores,
}

impl TimelineLanes {
    /// Whether calls are among what is shown.
    pub fn has_calls(self) -> bool {
        matches!(
            self,
            Self::Calls | Self::CallsAndThreads | Self::CallsAndCores
        )
    }

    /// The lanes that are shown, alone or below calls; none where there are calls alone.
    pub fn lanes(self) -> Option<Self> {
        match self {
            Self::Calls => None,
            Self::Threads | Self::CallsAndThreads => Some(Self::Threads),
            Self::Cores | Self::CallsAndCores => Some(Self::Cores),
        }
    }
}

/// What part of the trace the timeline is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimelineFit {
    /// All of it.
    Whole,
    /// The call around the position; where that is shown, the one around it.
    Call,
    /// As much as now, with the position in the middle.
    Position,
    /// What is selected.
    Selection,
}
