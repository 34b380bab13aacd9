//! The external changes of the trace: what was changed by something that the trace does not show.

mod panel;
mod rows;

pub use panel::ExternalsPanel;
