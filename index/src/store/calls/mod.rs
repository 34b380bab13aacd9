//! The table of calls, stored as intervals.

pub(crate) mod encoder;
pub(crate) mod frame;
pub(crate) mod layout;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod stacks;
pub(crate) mod table;
