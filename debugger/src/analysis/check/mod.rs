//! What is wrong with a trace, by rule: what its format asks of its records, and what no processor does.

mod events;
mod exception_end;
mod known_flags;
mod path;
mod register_file;
mod rules;
mod threads;
mod whole;

pub use whole::{BrokenRule, PlacedFinding, check};
