//! What stands in the tiles of the window, and the timeline above them.
//!
//! A panel reads its [`ViewCx`] and its own slots, paints, and pushes [`Action`](crate::action::Action)s;
//! it changes nothing else. What it shows is decided in [`crate::model`].

mod ask;
mod blocks;
mod calls;
mod compare;
mod externals;
mod field;
mod kept;
mod keys;
mod list;
mod memory;
mod menu;
mod pen;
mod registers;
mod row;
mod source;
mod stack;
mod tab;
mod table;
#[cfg(test)]
mod tests;
mod thread;
mod threads;
mod timeline;
mod trace;
mod view;
mod warnings;
mod watch;

pub use calls::CallsPanel;
pub use compare::ComparePanel;
pub use externals::ExternalsPanel;
pub use memory::MemoryPanel;
pub use registers::RegistersPanel;
pub use source::SourcePanel;
pub use stack::StackPanel;
pub use tab::{TabBadge, tab_badge};
pub use table::{TableKind, TablePanel};
pub use threads::ThreadsPanel;
pub use timeline::{TimelineState, timeline_ui};
pub use trace::TracePanel;
pub use view::{ThreadsSlot, ViewCx};
pub use warnings::WarningsPanel;
