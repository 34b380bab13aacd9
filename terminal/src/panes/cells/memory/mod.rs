//! Memory as hex and text.

mod compared;
mod foot;
mod pane;
mod rows;
mod shape;
#[cfg(test)]
mod tests;

pub use pane::MemoryPane;
