//! Copies a trace up to where it only repeats itself: the tail of a hang is long and tells nothing.
//!
//! It needs no index and no file: a trace is cut while it comes out of the simulator.
//! Two rules, those of `tarmac-truncate`: see [`Polling`] and [`Repetition`].

mod cutter;
mod part;
mod polling;
mod repetition;
mod stream;
mod unpacked;

pub use cutter::{CopyError, CopySummary, CutPoint, CutReason, copy};
pub use part::save_part;
pub use polling::PollingDetector;
pub use repetition::RepetitionDetector;
pub use stream::CopyingStream;
pub use unpacked::UnpackedReader;
