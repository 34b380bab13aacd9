//! The list of steps of a window, or the raw text of the trace.

mod pane;
mod raw;
mod steps;
mod view;

pub use pane::TracePane;
