//! The list of steps, or the raw text of the trace.

mod hits;
mod menu;
mod paint;
mod panel;
mod raw;
mod spots;
mod steps;

pub use panel::TracePanel;
