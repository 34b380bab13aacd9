//! Memory as hex and text.

mod address;
mod compared;
mod foot;
mod pane;
mod rows;
mod scrolled;
mod seeking;
mod shape;
#[cfg(test)]
mod tests;

pub use pane::MemoryPane;
