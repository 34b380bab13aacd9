//! The strip along the top with the whole trace: calls as a flame chart, positions as handles.

mod bookmarks;
mod calls;
mod density;
mod lanes;
mod menu;
mod paint;
mod panel;
mod rows;
mod state;
mod view;
mod waves;

pub use panel::timeline_ui;
pub use state::TimelineState;
