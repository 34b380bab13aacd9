//! Actions on the user's notes about a trace.

use serde::{Deserialize, Serialize};

use crate::notes::{BookmarkChange, WatchChange};

/// A change of the user's notes about a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MarkAction {
    /// Add or change a watch.
    Watch(WatchChange),
    /// Add or change a value that the timeline plots.
    Wave(WatchChange),
    /// Add or change bookmarks.
    Bookmark(BookmarkChange),
    /// Bookmark the range that is selected in the timeline, with a name.
    BookmarkSelection(String),
    /// Undo the last change of notes or panels.
    Undo,
    /// Redo what was undone.
    Redo,
}
