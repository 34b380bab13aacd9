//! Copies a trace up to where it only repeats itself: the tail of a hang is long and carries no
//! information.
//!
//! It needs no index and no file: a trace can be cut while a simulator writes it. Its two rules are
//! those of `tarmac-truncate`: see [`PollingDetector`] and [`RepetitionDetector`].

mod cutter;
mod polling;
mod stream;

pub use crate::truncate::cutter::save_part;
pub use crate::truncate::polling::RepetitionDetector;
pub use crate::truncate::stream::UnpackedReader;
pub use cutter::{CopyError, CopySummary, CutPoint, CutReason, copy};
pub use polling::PollingDetector;
pub use stream::CopyingStream;
