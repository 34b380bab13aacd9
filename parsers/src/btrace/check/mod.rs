//! Whether the records of a recording fit each other and the program, in one pass and in bounded memory.

mod recording;
mod rules;
mod thread;

pub use recording::{CheckedRecording, check_recording};
