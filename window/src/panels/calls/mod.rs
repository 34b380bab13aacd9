//! The call tree.

mod columns;
mod menu;
mod panel;
mod rows;

pub use panel::CallsPanel;
