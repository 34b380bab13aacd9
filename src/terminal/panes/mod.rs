//! The panes.

mod trace;

pub use trace::TracePane;
