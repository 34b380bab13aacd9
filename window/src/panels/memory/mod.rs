//! Memory at a position.

mod bar;
mod beside;
mod foot;
mod mark;
mod menu;
mod panel;
mod rows;
mod shape;
mod view_menu;

pub use panel::MemoryPanel;
