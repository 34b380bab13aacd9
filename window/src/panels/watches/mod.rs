//! Watched expressions: their values, the steps that wrote them, and their writes along the trace.

mod menu;
mod panel;
mod rows;

pub use panel::WatchesPanel;
