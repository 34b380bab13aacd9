//! Memory at a position.

mod bar;
mod foot;
mod panel;
mod rows;
mod shape;
mod view_menu;

pub use panel::MemoryPanel;
