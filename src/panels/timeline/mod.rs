//! The strip along the top with the whole trace: calls as a flame chart, positions as handles.

mod lanes;
mod paint;
mod panel;

pub use panel::{TimelineState, timeline_ui};
