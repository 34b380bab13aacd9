//! The panels in the tiles of the window, and the timeline above them.
//!
//! A panel paints a view of [`stepback_debugger::views`] and turns keys and clicks into its
//! gestures. It pushes [`Action`](stepback_debugger::action::Action)s and changes nothing else.
//! A new kind of panel needs a painter that implements [`Panel`] (for a list, `ListPanel` is one).
//! It also needs a line in the registry and a row in [`PANELS`](stepback_debugger::keymap::PANELS).

mod bookmarks;
mod both_traces;
mod calls;
mod compare;
mod cursor_list;
mod find;
mod findings;
mod functions;
mod list;
mod memory;
pub mod menu;
mod offer;
mod panel;
mod pen;
mod registers;
mod registry;
mod row;
mod source;
mod stack;
mod table;
#[cfg(test)]
mod tests;
mod timeline;
mod trace;
mod watches;
mod why;

pub use crate::panels::panel::{HiddenPointer, HoverCell, PanelContext, TabBadge, tab_badge};
pub use find::FindPanel;
pub use panel::Panel;
pub use registers::RegistersPanel;
pub use registry::Pane;
pub use timeline::{TimelineState, timeline_ui};
pub use why::WhyPanel;
