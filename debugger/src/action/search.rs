//! Actions on the search.

use serde::{Deserialize, Serialize};

use super::{Direction, FindQuery, StepRange, WindowId};
use crate::notes::{SavedQueryChange, SavedSearch};

/// An action on the search, its hits, or the saved searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SearchAction {
    /// Put the cursor into the field of the panel "Find".
    FocusFind,
    /// Search the whole trace; list and mark the hits.
    Find(FindQuery),
    /// Move to the last (back) or next (forward) hit.
    FindNext(Direction),
    /// Raise the limit on the number of hits.
    FindMore,
    /// Stop the search; the hits stay.
    StopFind,
    /// Drop the search and its marks.
    ClearFind,
    /// Show only hits in the active window, or all steps again.
    ToggleOnlyHits,
    /// Show only hits, with this number of steps around each.
    SurroundHits(u64),
    /// Keep the search under a name.
    KeepSearch(String),
    /// Change the list of kept searches.
    Searches(SavedQueryChange<SavedSearch>),
    /// Run a kept search.
    RunSearch(String),
    /// Run a kept search in a separate panel.
    ShowSearch(String),
    /// Show some steps in a window that shows only hits.
    OpenHidden(WindowId, StepRange),
}
