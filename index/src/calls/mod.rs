//! Calls: found while segments arrive in order, by a heuristic or by what the trace's records say of branches;
//! kept as a table of intervals.

mod branches;
mod exceptions;
mod finder;
mod functions;
mod pending;
mod recorded;
mod recorded_frames;
#[cfg(test)]
pub mod samples;
mod spool;
mod stacks;
mod table;
mod tails;

pub use finder::{CallFinder, FinderState, Found, FoundSoFar, Frame};

pub use functions::Functions;
#[cfg(test)]
pub use table::encode_frames;
pub use table::{Call, CallId, CallLayout, CallTable, Entered, Evidence, Left, TableEncoder};
