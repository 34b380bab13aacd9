//! Text in lines: shared by the readers of all textual formats, and by the other formats to show
//! their records.
//!
//! `window` slides over the input in bounded memory and splits it into lines. `lexer` and `digits`
//! read words and numbers. `words` reads what blanks separate, `line_writer` makes lines, and
//! `merge` merges files by the times of their lines. None of these modules knows the meaning of a
//! word.

pub(crate) mod digits;
pub(crate) mod lexer;
pub(crate) mod line_writer;
pub(crate) mod merge;
pub(crate) mod name_table;
pub(crate) mod window;
pub(crate) mod words;

pub use crate::text::digits::ROW_DIGITS;
pub use crate::text::merge::MergedText;
pub use crate::text::window::LINE_LIMIT;
