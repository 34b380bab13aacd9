//! Contents and range of the timeline.

use serde::{Deserialize, Serialize};

/// Contents of the timeline below its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimelineLanes {
    /// Calls as a flame chart.
    Calls,
    /// One lane per thread.
    Threads,
    /// One lane per core.
    Cores,
    /// Calls, and below them one lane per thread.
    CallsAndThreads,
    /// Calls, and below them one lane per core.
    CallsAndCores,
}

impl TimelineLanes {
    /// Returns true if calls are shown.
    pub fn has_calls(self) -> bool {
        matches!(
            self,
            Self::Calls | Self::CallsAndThreads | Self::CallsAndCores
        )
    }

    /// Returns the lanes that are shown, with or without calls; none if only calls are shown.
    pub fn lanes(self) -> Option<Self> {
        match self {
            Self::Calls => None,
            Self::Threads | Self::CallsAndThreads => Some(Self::Threads),
            Self::Cores | Self::CallsAndCores => Some(Self::Cores),
        }
    }
}

/// Part of the trace that the timeline shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimelineFit {
    /// The whole trace.
    Whole,
    /// The call around the position; if that is already shown, its caller.
    Call,
    /// The current width, with the position in the middle.
    Position,
    /// The selection.
    Selection,
}
