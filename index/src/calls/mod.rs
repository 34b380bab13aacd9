//! Calls: found by a heuristic while segments arrive in order, kept as a table of intervals.

mod branches;
mod exceptions;
mod finder;
mod flow;
mod functions;
mod pending;
#[cfg(test)]
pub mod samples;
mod stacks;
mod table;
mod tails;

pub use finder::{CallFinder, FinderState, Found, FoundMark, Frame};
pub use functions::Functions;
pub use table::{Call, CallId, CallLayout, CallTable, Entered, Evidence, Left, encode_frames};
