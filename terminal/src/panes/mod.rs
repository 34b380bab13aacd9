//! The panes.

mod cells;
mod lists;
mod trace;

pub use cells::{MemoryPane, RegistersPane};
pub use lists::open_list;
pub use trace::TracePane;
