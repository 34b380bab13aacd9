//! Watched expressions: their values, the steps that wrote them, and their writes along the trace.

mod panel;
mod rows;

pub use panel::WatchesPanel;
