//! Thread schedule: a lane for each thread and for each core, in memory that does not grow with the
//! trace.
//!
//! Binary traces of several threads have markers that state when a thread moves to a core. Between
//! two of them all steps belong to one thread. Traces without such markers are sampled in even
//! parts.

mod build;
mod lane;
#[cfg(test)]
pub mod tests;

pub use crate::analysis::schedule::build::Schedule;
pub use crate::analysis::schedule::lane::{BoundedList, LaneBox, LanePiece, boxes};
pub use build::schedule;
pub use lane::{LaneInterval, LaneMark, LaneMarkKind, LanePeer, ThreadLane, TimeSample};
