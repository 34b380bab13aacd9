//! Searches through a trace: what is meant by a text, hits as they are found, and the hit next to a position.

pub mod meaning;
pub mod neighbour;
mod number;
pub mod question;
pub mod stream;

pub use meaning::bytes_of;
pub use number::wide_number;
pub use question::Search;
