//! Registers in columns, and vectors by their lanes.

mod grid;
mod pane;
#[cfg(test)]
mod tests;

pub use pane::RegistersPane;
