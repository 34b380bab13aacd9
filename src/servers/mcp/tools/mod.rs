//! The tools: each turns its arguments into those of a subcommand and the values into rows.

pub mod calls;
pub mod compare;
pub mod find;
pub mod list;
pub mod overview;
pub mod state;
pub mod why;
