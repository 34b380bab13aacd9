//! Search results: rows, marks and descriptions.

mod gather;
mod list;
mod rows;
mod words;

pub use gather::{HitQuestion, SearchRequest, gather};
pub use list::{HitLookup, SearchEnd, SearchResults};
pub use words::{kind_name, nothing_words, subject, summary};
