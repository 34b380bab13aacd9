//! Searches a trace: interprets the text, streams hits, and finds the hit next to a position.

pub mod meaning;
pub mod neighbour;
mod number;
pub mod question;
pub mod stream;

pub use meaning::bytes_of;
pub use number::wide_number;
pub use question::Search;
