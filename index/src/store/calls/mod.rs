//! The table of calls, stored as intervals.

pub(crate) mod cursor;
pub(crate) mod encoder;
mod record;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod stacks;
pub(crate) mod table;
