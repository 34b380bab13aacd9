//! The list of steps, or the raw text of the trace.

mod end_note;
mod head;
mod lines;
mod menu;
mod paint;
mod panel;
mod raw;
mod spots;
mod steps;

pub use panel::TracePanel;
