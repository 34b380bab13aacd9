//! The list of steps of a window, or the raw text of the trace.

mod pane;
mod picked;
mod raw;
mod rows;
mod steps;
mod view;
mod words;

pub use pane::TracePane;
