//! The regions of memory that semihosting calls let the host write.

pub(crate) mod ranges;
pub(crate) mod regions;
