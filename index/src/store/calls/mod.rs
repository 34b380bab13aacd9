//! The table of calls, stored as intervals.

pub(crate) mod cursor;
pub(crate) mod encoder;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod stacks;
pub(crate) mod table;
