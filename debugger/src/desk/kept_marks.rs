//! What the user keeps about a trace, one kind at a time.

use crate::notes::{Bookmarks, SavedQueries, SavedSearch, SavedSlice, Watches};

/// One kind of what the user keeps, as it was before a change.
#[derive(Clone, Debug, PartialEq)]
pub enum NotesSnapshot {
    /// The bookmarks.
    Bookmarks(Bookmarks),
    /// What is watched.
    Watches(Watches),
    /// The values that the timeline shows.
    Waves(Watches),
    /// The searches that are kept.
    Searches(SavedQueries<SavedSearch>),
    /// The slices that are kept.
    Slices(SavedQueries<SavedSlice>),
}
