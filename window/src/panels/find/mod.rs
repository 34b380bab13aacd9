//! The search panel: the query, its hits, and the list of them.

mod field;
mod panel;

pub use panel::FindPanel;
