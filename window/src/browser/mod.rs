//! File browser, for desktops without a file dialog service and for users who prefer it.
//!
//! It is drawn over the window. The worker reads, filters and sorts folders; a frame draws the
//! visible rows.

mod listing;
mod state;
mod view;

pub use crate::browser::listing::places;
pub use listing::SortOrder;
pub use state::{BrowserContext, BrowserStart, FileBrowser, FileBrowserOutcome};
