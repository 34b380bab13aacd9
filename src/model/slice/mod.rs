//! Slices for people: cells, edges and ends in words, and rows as lists and trees show them.

mod gather;
mod list;
mod row;
mod row_maker;
mod said;
mod slice;
mod tree;
mod words;

pub use gather::{SliceAsked, gather_slice};
pub use list::SliceList;
pub use row::{Asked, Given, WhyRow};
pub use said::{asked_words, edge_words, question_words, slice_words, view_words};
pub use slice::{Slice, SliceEnd, Subject};
pub use tree::{Caret, Flipped, Path, SliceLine, plain_lines, tree_lines};
pub use words::{cell_words, edge_word, end_words, flag_letters};
