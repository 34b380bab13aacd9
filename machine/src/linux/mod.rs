//! Names of what Linux numbers.

pub(crate) mod names;
pub(crate) mod pure_calls;
pub(crate) mod tables;

pub use names::{LARGEST_ERROR, Numbers, error_name, signal_name};
