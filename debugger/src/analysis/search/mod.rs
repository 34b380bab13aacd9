//! Searches a trace: interprets the text, streams hits, and finds the hit next to a position.

pub mod meaning;
pub mod stream;

pub use crate::analysis::names::wide_number;
pub use crate::analysis::search::stream::Search;
pub use meaning::bytes_of;
