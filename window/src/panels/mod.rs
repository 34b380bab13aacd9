//! The panels in the tiles of the window, and the timeline above them.
//!
//! A panel paints a view of [`stepback_debugger::views`] and turns keys and clicks into its
//! gestures. It pushes [`Action`](stepback_debugger::action::Action)s and changes nothing else.
//! A new kind of panel needs a painter that implements [`Panel`] (for a list, `ListPanel` is one).
//! It also needs a line in the registry and a row in [`PANELS`](stepback_debugger::keymap::PANELS).

mod asked;
mod bookmarks;
mod calls;
mod compare;
mod cursor_list;
mod effects_items;
mod field;
mod find;
mod findings;
mod functions;
mod hover_cell;
mod kept_menu;
mod keys;
mod list;
mod memory;
mod menu;
mod panel;
mod pen;
mod registers;
mod registry;
mod row;
mod sort;
mod source;
mod stack;
mod tab;
mod table;
#[cfg(test)]
mod tests;
mod thread;
mod timeline;
mod trace;
mod view;
mod watches;
mod why;

pub use find::FindPanel;
pub use hover_cell::HoverCell;
pub use panel::Panel;
pub use registers::RegistersPanel;
pub use registry::Pane;
pub use tab::{TabBadge, tab_badge};
pub use timeline::{TimelineState, timeline_ui};
pub use view::PanelContext;
pub use why::WhyPanel;
