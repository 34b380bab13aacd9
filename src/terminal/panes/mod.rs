//! The panes.

mod lists;
mod trace;

pub use lists::open_list;
pub use trace::TracePane;
