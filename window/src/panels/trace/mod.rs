//! The list of steps, or the raw text of the trace.

mod end_note;
mod head;
mod hits;
mod lines;
mod marks;
mod menu;
mod paint;
mod panel;
mod raw;
mod raw_words;
mod spots;
mod steps;

pub use panel::TracePanel;
