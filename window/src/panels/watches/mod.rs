//! Expressions that are watched: their values, who wrote them, and when they are written along the trace.

mod menu;
mod panel;
mod rows;

pub use panel::WatchesPanel;
