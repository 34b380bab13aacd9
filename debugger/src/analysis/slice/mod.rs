//! Slices as they are read: copies collapsed, arithmetic in expressions, rows grouped by call, the fan-in as a tree.
//!
//! ```text
//! let mut reading = SliceReading::default();
//! let frames = Frames::new(&session.index);                  // remembers frames from one portion to the next
//! while let Some(seen) = walk.next_seen(&cancel)? {           // newest first, as the walk hands them out
//!     reading.take(seen, &mut frames, &cancel)?;              // on a worker: may ask the index for a stack pointer
//! }
//! let lines = reading.lines(&ReadingView { reading: Reading::Chain, toggled: &toggled });
//! ```
//! Each line has a key ([`ReadingLine::knot`]) where it can be opened or folded: put it into `toggled`, or take it out of there.
//! What a line says tells `model::slice::line_words`. Lines settle as rows come: a later row may be what a copy copies,
//! so ask for the lines again after each portion.

mod assignment;
mod copies;
mod formula;
mod frames;
mod groups;
mod lines;
mod named;
mod narrow;
mod reading;
mod rounds;
mod row;
#[cfg(test)]
mod tests;
mod tree;

pub use assignment::Assignment;
pub use formula::{Formula, LoadShape, MemoryLeaf, RegisterLeaf};
pub use frames::Frames;
pub use lines::{
    FoldHandle, FoldState, LineKind, LoopSummary, ReadingLine, ReadingMode, ReadingView,
};
pub use reading::SliceReading;
pub use row::{ReadRow, RowId, SliceRowRole};
