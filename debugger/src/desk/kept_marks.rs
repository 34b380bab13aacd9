//! Notes of the user about a trace, one kind at a time.

use crate::notes::{Bookmarks, SavedQueries, SavedSearch, SavedSlice, Watches};

/// One kind of notes as it was before a change.
#[derive(Clone, Debug, PartialEq)]
pub enum NotesSnapshot {
    Bookmarks(Bookmarks),
    Watches(Watches),
    /// Values that the timeline shows as waveforms.
    Waves(Watches),
    /// Saved searches.
    Searches(SavedQueries<SavedSearch>),
    /// Saved slices.
    Slices(SavedQueries<SavedSlice>),
}
