//! What a search found: rows, marks, and words about it.

mod gather;
mod list;
mod rows;
mod words;

pub use gather::{Asked, HitQuestion, gather};
pub use list::{Found, Listed, SearchEnd};
pub use words::{kind_name, nothing_words, subject, summary};
