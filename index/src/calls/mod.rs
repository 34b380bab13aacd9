//! Calls: found by a heuristic while segments arrive in order, kept as a table of intervals.

mod branches;
mod exceptions;
mod finder;
mod flow;
mod functions;
mod pending;
#[cfg(test)]
pub mod samples;
mod spool;
mod stacks;
mod table;
mod tails;

pub use finder::{CallFinder, FinderState, Found, FoundSoFar, Frame};
pub use flow::{Flow, flow};
pub use functions::Functions;
#[cfg(test)]
pub use table::encode_frames;
pub use table::{Call, CallId, CallLayout, CallTable, Entered, Evidence, Left, TableEncoder};
