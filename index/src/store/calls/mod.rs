//! Calls as they are stored: a table of intervals.

#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod table;
