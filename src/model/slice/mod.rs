//! Slices for people: cells, edges and ends in words, expressions in C, and what each line of a reading says.

mod formula_words;
mod line_words;
#[cfg(test)]
mod tests;
mod words;

pub use formula_words::FormulaWords;
pub use line_words::{LineWords, SliceWords};
pub use words::{cell_words, edge_word, end_words, flag_letters};
