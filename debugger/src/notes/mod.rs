//! Notes of the user about a trace: bookmarks, watches, saved searches and slices.
//!
//! ```
//! use stepback_debugger::notes::{BookmarkChange, BookmarkPlace, Bookmarks};
//!
//! let mut bookmarks = Bookmarks::default();
//! let place = BookmarkPlace::Position(1250);
//! bookmarks.change(&BookmarkChange::Put { place, name: "the store".to_owned() })?;
//! assert_eq!(bookmarks.list()[0].title(), "the store");
//! bookmarks.change(&BookmarkChange::Toggle(place))?;
//! assert!(bookmarks.list().is_empty());
//! # Ok::<(), String>(())
//! ```

mod bookmarks;
mod kept_list;
mod reading_choices;
mod session_file;
mod watches;

pub use crate::notes::bookmarks::{
    Bookmark, BookmarkChange, BookmarkColor, BookmarkField, BookmarkId, BookmarkPlace,
};
pub use crate::notes::kept_list::{
    FindKind, FindQuery, FindRange, SavedSearch, SavedSlice, SavedSliceQuery, SliceEdge,
};
pub use bookmarks::{Bookmarks, MOST};
pub use kept_list::{SavedQueries, SavedQuery, SavedQueryChange};
pub use reading_choices::ReadingChoices;
pub use session_file::{LONGEST, SessionError, SessionFile, SessionTrace, SessionWindow};
pub use watches::{Watch, WatchChange, WatchType, Watches};
