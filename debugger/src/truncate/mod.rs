//! Copies a trace up to where it only repeats itself: the tail of a hang is long and carries no
//! information.
//!
//! It needs no index and no file: a trace can be cut while a simulator writes it. Its two rules are
//! those of `tarmac-truncate`: see [`PollingDetector`] and [`RepetitionDetector`].

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
