//! The call stack.

mod panel;
mod rows;

pub use panel::StackPanel;
