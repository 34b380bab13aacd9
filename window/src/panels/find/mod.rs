//! The search panel: the query, its hits, and the list of them.

mod choosers;
mod field;
mod kept;
mod panel;

pub use panel::FindPanel;
