//! Text in lines: what every textual format reads with, and every other one shows its records with.
//!
//! A `Window` slides over the input in bounded memory, `lines` cut it up,
//! `lexer` and `digits` read what stands on a line. `line_writer` makes lines. None of them knows what a word means.

pub(crate) mod digit_rows;
pub(crate) mod digits;
pub(crate) mod lexer;
pub(crate) mod limits;
pub(crate) mod line_writer;
pub(crate) mod lines;
pub(crate) mod name_table;
pub(crate) mod window;

pub use digit_rows::ROW_DIGITS;
pub use limits::LINE_LIMIT;
