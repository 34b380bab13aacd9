//! Searches: what is looked for, what was found of it, and the panel that lists it.

mod choosers;
mod field;
mod kept;
mod own;
mod panel;
mod state;

pub use own::{OwnFinds, SearchGround};
pub use panel::FindPanel;
pub use state::{FindState, HISTORY};
