//! Presentation of slices: copies collapsed, arithmetic as expressions, rows grouped by call,
//! inputs as a tree.
//!
//! ```text
//! let mut reading = SliceReading::default();
//! let mut frames = Frames::new(&session.index);              // caches frames across batches
//! while let Some(row) = walk.next(&cancel)? {           // newest first
//!     reading.take(row, &mut frames, &cancel)?;              // on a worker: may query the index
//! }
//! let lines = reading.lines(SliceView::Chain, &toggled);
//! ```
//!
//! Each foldable line has a key ([`ReadingLine::handle`]): add it to `toggled` to change its state,
//! or remove it. `model::slice::line_words` formats a line. Lines may change as rows arrive: a
//! later row may be the origin of a copy. Request the lines again after each batch.

mod assignment;
mod formula;
mod frames;
mod lines;
mod narrow;
mod reading;
mod rounds;
mod row;
#[cfg(test)]
mod tests;

pub use assignment::Assignment;
pub use formula::{Formula, LoadShape, MemoryLeaf, RegisterLeaf};
pub use frames::Frames;
pub use lines::{FoldHandle, FoldState, LineKind, LoopSummary, ReadingLine};
pub use reading::SliceReading;
pub use row::{ReadRow, RowId, SliceRowRole};
