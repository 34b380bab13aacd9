//! The steps of two traces side by side.

mod panel;

pub use panel::BothTracesPanel;
