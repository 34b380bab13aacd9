//! Searches: what is looked for, what was found of it, and the panel that lists it.

mod choosers;
mod field;
mod kept;
mod panel;

pub use panel::FindPanel;
