//! The register file at a position.

mod bar;
mod cell;
mod detail;
mod grid;
mod panel;

pub use panel::RegistersPanel;
