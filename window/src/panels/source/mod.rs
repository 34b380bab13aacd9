//! The source file of a position, with the line that is executed next.

mod panel;
mod rows;

pub use panel::SourcePanel;
