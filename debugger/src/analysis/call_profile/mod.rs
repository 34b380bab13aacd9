//! What the calls of a trace, or of a part of it, took: by function, by who called whom, and merged by stack.
//!
//! Every frame counts, also one that never returned, a handler, and what went on in place of another (a tail call):
//! so the own steps of all functions are all steps of the part. The part cuts calls at its ends.

mod answer;
mod clock;
mod collect;
mod collector;
mod next_call;
mod progress;
#[cfg(test)]
mod tests;

pub use answer::{CallEdge, CallProfile, CallTotals, FunctionUsage, StackNode, StackNodeKind};
pub use collect::{PositionRange, call_profile};
pub use next_call::{CallNumber, NextCall, call_number, next_call};
pub use progress::Progress;
