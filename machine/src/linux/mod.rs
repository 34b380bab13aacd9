//! Names of what Linux numbers.

pub(crate) mod names;
pub(crate) mod pure_calls;
pub(crate) mod tables;
pub(crate) mod written;

pub use names::{LARGEST_ERROR, Numbers, error_name, signal_name};
pub use written::{WrittenIf, WrittenLength, WrittenPart};
