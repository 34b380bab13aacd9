//! Violations found in the trace, by rule.

mod panel;
mod rows;

pub use panel::FindingsPanel;
