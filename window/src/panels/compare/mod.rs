//! The comparison of two positions.

mod panel;
mod rows;

pub use panel::ComparePanel;
