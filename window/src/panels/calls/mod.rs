//! The call tree.

mod menu;
mod panel;
mod rows;

pub use panel::CallsPanel;
