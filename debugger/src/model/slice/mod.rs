//! Presents slices: cells, edges and ends in words, expressions in C, the text of each line, and
//! lists of lines.

mod because;
mod end_words;
mod formula_words;
mod gather;
mod line_words;
mod lines;
mod row;
mod row_maker;
mod said;
#[cfg(test)]
mod tests;
mod walk;
mod whole;
mod words;

pub use because::because;
pub use end_words::{end_words, ended_words};
pub use formula_words::FormulaWords;
pub use gather::{SliceRequest, gather_slice};
pub use line_words::{LineWords, SliceWords};
pub use lines::SliceLines;
pub use row::{DefinedCell, SliceListRow, WhyQuery};
pub use said::{
    asked_words, edge_words, question_words, slice_words, view_words, way_of, way_words,
};
pub use whole::{ReadingWords, Slice, SliceLineContent, SliceProgress, SliceSubject};
pub use words::{cell_words, edge_word, flag_letters};
