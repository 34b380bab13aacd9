//! The register file at a position.

mod bar;
mod cell;
mod detail;
mod frame;
mod grid;
mod lanes;
mod panel;

pub use panel::RegistersPanel;
