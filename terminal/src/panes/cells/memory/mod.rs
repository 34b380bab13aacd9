//! Memory as hex and text.

mod pane;
mod rows;
#[cfg(test)]
mod tests;

pub use pane::MemoryPane;
