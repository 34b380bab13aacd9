//! Compares two positions and presents the differences as table rows.

mod cells;
mod comparison;
mod pieces;
mod rows;
mod writers;

pub use cells::PositionPair;
pub use comparison::{PositionComparison, compare};
pub use pieces::{ComparisonUnit, differing_pieces};
pub use rows::{CellMeaning, CompareRow, CompareRowOptions};
pub use writers::{CellWriteCount, WriterText, accessed_between, writers, writes_between};
