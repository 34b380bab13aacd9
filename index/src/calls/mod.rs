//! Calls: found by a heuristic while segments arrive in order, kept as a table of intervals.

mod branches;
mod finder;
#[cfg(test)]
pub mod samples;
mod table;

pub use finder::CallFinder;
pub use table::{Call, CallId, CallTable, Entered, Evidence, Left, encode_frames};
