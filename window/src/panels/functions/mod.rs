//! Cost of functions: as a list with callers and callees, and as a flame graph.

mod bar;
mod flame;
mod flame_paint;
mod near;
mod panel;

pub use flame::FlamePanel;
pub use panel::FunctionsPanel;
