//! The trace as tables of columns, for programs that analyse data: what it records, with the calls
//! and the code.
//!
//! [`Columns`] reads the trace in parts of up to a million steps, which threads may read in
//! parallel, and hands the rows to a [`RowSink`] in blocks of at most [`BLOCK_ROWS`]. A table is a
//! row type with the list of its columns ([`TableRow`]); every writer and the documentation go by
//! that list.
//!
//! `step` counts from 0; it is missing for what the trace states before the first step of a thread.
//! An effect is visible from position `step + 1 + late` on (`late`, if there is no step).

mod code;
mod part;
mod rows;
mod table;

pub use self::part::{BLOCK_ROWS, Columns, RowSink};
pub use self::rows::{
    AccessRow, CallRow, CellRow, CodeRow, MarkerRow, Provenance, RegisterWriteRow, RunRow, StepRow,
    ThreadRow,
};
pub use self::table::{Cell, Column, ColumnEncoding, NameId, Names, TableRow};
