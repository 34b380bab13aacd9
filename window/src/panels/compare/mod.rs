//! What differs between two positions.

mod panel;
mod rows;

pub use panel::ComparePanel;
