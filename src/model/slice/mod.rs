//! Slices for people: cells, edges and ends in words.

mod words;

pub use words::{cell_words, edge_word, end_words, flag_letters};
