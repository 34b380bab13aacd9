//! Presents slices: cells, edges and ends in words, expressions in C, the text of each line, and
//! lists of lines.

mod formula_words;
mod gather;
mod line_words;
mod row_maker;
#[cfg(test)]
mod tests;
mod whole;
mod words;

pub use crate::model::slice::whole::{
    DefinedCell, ReadingWords, Slice, SliceLineContent, SliceLines, SliceListRow, SliceProgress,
    SliceSubject,
};
pub use crate::model::slice::words::{
    because, direction_of, direction_words, edge_words, end_words, ended_words, question_words,
    requested_words, slice_words, use_words, view_words, wanting_steps,
};
pub use formula_words::FormulaWords;
pub use gather::{SliceRequest, gather_slice};
pub use line_words::{LineWords, SliceWords};
pub use words::{cell_words, edge_word, flag_letters};
