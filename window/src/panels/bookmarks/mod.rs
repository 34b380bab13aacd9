//! The panel of bookmarks, and the other places that show bookmarks.

mod panel;
mod rows;

pub use crate::panels::bookmarks::rows::{add_items, ribbon_tip, ribbon_ui};
pub use panel::BookmarksPanel;
