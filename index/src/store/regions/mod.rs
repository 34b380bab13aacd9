//! The regions of memory that semihosting calls let the host write.

pub(crate) mod host_regions;
pub(crate) mod open_calls;
pub(crate) mod ranges;
