//! Memory at a position.

mod bar;
mod beside;
mod change;
mod foot;
mod mark;
mod menu;
mod page;
mod panel;
mod rows;
mod shape;
mod view_menu;

pub use panel::MemoryPanel;
