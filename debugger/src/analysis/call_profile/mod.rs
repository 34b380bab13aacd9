//! Cost of the calls in a trace or a part of it: by function, by pair of caller and callee, and
//! merged by stack.
//!
//! Every frame counts, including those that never returned, exception handlers, and the targets of
//! tail calls. Therefore the own steps of all functions add up to the steps of the part. The part
//! clips calls at its ends.

mod collect;
mod collector;
mod next_call;
#[cfg(test)]
mod tests;

pub use crate::analysis::call_profile::collect::{
    CallEdge, CallProfile, CallTotals, FunctionUsage, Progress, StackClock, StackNode,
    StackNodeKind,
};
pub use collect::{PositionRange, ProfileUnit, ProfiledCalls, call_profile, profile_of};
pub use next_call::{call_number, next_call};
