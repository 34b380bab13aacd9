//! A file browser of our own, for desktops that have no service for file dialogs, and for those who like it better.
//!
//! It lies over the window. Folders are read, filtered and ordered by the worker; a frame draws the rows in view.

mod listing;
mod places;
mod state;
mod view;

pub use listing::SortOrder;
pub use places::places;
pub use state::{BrowserContext, BrowserStart, FileBrowser, FileBrowserOutcome};
