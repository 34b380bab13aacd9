//! Violations found in the trace, by rule.

mod panel;

pub use panel::FindingsPanel;
