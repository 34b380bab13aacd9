//! What differs between two positions.

mod beside;
mod panel;
mod rows;

pub use panel::ComparePanel;
