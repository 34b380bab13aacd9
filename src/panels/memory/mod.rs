//! Memory at a position.

mod bar;
mod beside;
mod foot;
mod menu;
mod page;
mod panel;
mod rows;

pub use panel::MemoryPanel;
