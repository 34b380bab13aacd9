//! Consistency check of a recording: compares the records with each other and with the program, in
//! one pass and in bounded memory.

mod recording;
pub(crate) mod rules;

pub use recording::check_recording;
