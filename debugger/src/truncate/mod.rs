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

pub use cutter::{Copied, CopyError, Cut, CutReason, copy};
pub use part::save_part;
pub use polling::Polling;
pub use repetition::Repetition;
pub use stream::Stream;
pub use unpacked::Unpacked;
