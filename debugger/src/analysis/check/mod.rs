//! Checks a trace: the rules of its format about records, and rules about what processors can do.

mod events;
mod exception_end;
mod known_flags;
mod path;
mod register_file;
mod rules;
mod threads;
mod whole;

pub use whole::{BrokenRule, PlacedFinding, check};
