//! The difference of two positions as rows of a table.

mod cells;
mod comparison;
mod pieces;
mod rows;
mod writers;

pub use cells::Between;
pub use comparison::{Comparison, compare};
pub use pieces::{Pieces, differing_pieces};
pub use rows::{CellMeaning, CompareRow, RowsWanted};
pub use writers::{WriterText, WritesBetween, accessed_between, writers, writes_between};
