//! Search results: rows, marks and descriptions.

mod gather;
mod list;

pub use crate::model::found::list::{
    entries_words, kind_name, nothing_advice, nothing_words, subject, summary,
};
pub use gather::{SearchRequest, gather};
pub use list::{HitLookup, SearchEnd, SearchResults};
