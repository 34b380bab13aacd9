//! Names of what Linux numbers.

mod names;
mod tables;

pub use names::{error_name, signal_name, system_call_name};
