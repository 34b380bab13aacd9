//! The panel of bookmarks, and the other places that show bookmarks.

mod menu;
mod panel;
mod ribbon;
mod rows;

pub use menu::add_items;
pub use panel::BookmarksPanel;
pub use ribbon::{ribbon_tip, ribbon_ui};
