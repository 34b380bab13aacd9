//! Checks a trace: the rules of its format about records, and rules about what processors can do.

mod events;
mod path;
mod register_file;
mod threads;
mod whole;
mod written;

pub use whole::{BrokenRule, PlacedFinding, check};
