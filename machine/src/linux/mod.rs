//! Names of what Linux numbers.

pub(crate) mod names;
pub(crate) mod sharing;
pub(crate) mod tables;
pub(crate) mod written;

pub use names::{LARGEST_ERROR, Numbers, error_name, signal_name};
pub use sharing::{Sharing, is_fixed_mapping, is_own_mapping, may_be_written};
pub use written::{WrittenIf, WrittenLength, WrittenPart};
