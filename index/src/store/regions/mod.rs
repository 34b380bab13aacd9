//! Memory regions that the host may have written during semihosting calls.

pub(crate) mod host_regions;
pub(crate) mod open_calls;
