//! Checks a trace: the rules of its format about records, and rules about what processors can do.

mod checked_thread;
mod events;
mod instructions;
mod ordered_check;
mod part_check;
mod part_event;
mod register_file;
pub mod rules;
#[cfg(test)]
mod tests;
mod threads;
mod whole;

pub use whole::{BrokenRule, PlacedFinding, check};
