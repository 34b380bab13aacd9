//! Compares two positions and presents the differences as table rows.

mod cells;
mod comparison;
mod rows;
mod writers;

pub use crate::model::compare::rows::{ComparisonUnit, differing_pieces};
pub use cells::PositionPair;
pub use comparison::{PositionComparison, compare};
pub use rows::{CellMeaning, CompareRow, CompareRowOptions};
pub use writers::{CellWriteCount, WriterText, accessed_between, writers, writes_between};
