//! The threads of the trace: how busy, when, where, and how they ended.

mod panel;
mod rows;
mod sorted;

pub use panel::ThreadsPanel;
