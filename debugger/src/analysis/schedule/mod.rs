//! Who ran where and when: a lane for each thread and for each core, in memory that does not grow with the trace.
//!
//! Binary traces of several threads say by markers which core a thread came to and when;
//! between two of them all steps are of one thread. Traces without such markers are looked at in even parts.

mod bounded;
mod boxes;
mod build;
mod lane;
mod record;
#[cfg(test)]
pub mod tests;

pub use bounded::{BoundedList, LanePiece};
pub use boxes::{LaneBox, boxes};
pub use build::schedule;
pub use lane::{LaneInterval, LaneMark, LaneMarkKind, LanePeer, ThreadLane, TimeSample};
pub use record::Schedule;
