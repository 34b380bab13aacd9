//! The source file of a position, with the line that is executed next.

mod bar;
mod empty;
mod panel;
mod rows;

pub use panel::SourcePanel;
