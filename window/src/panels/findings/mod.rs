//! What is wrong with the trace, by rule.

mod panel;
mod rows;

pub use panel::FindingsPanel;
