//! The call stack.

mod foot;
mod menu;
mod panel;
mod rows;

pub use panel::StackPanel;
