//! Queries, one file each.

pub(crate) mod access;
pub(crate) mod accesses;
pub(crate) mod allocations;
mod asked;
#[cfg(test)]
mod bytes_read;
pub(crate) mod difference;
pub(crate) mod effects_within;
pub(crate) mod externals;
pub(crate) mod folds;
pub(crate) mod markers;
pub(crate) mod memory;
pub(crate) mod page_heat;
mod physical;
pub(crate) mod physical_memory;
pub(crate) mod question;
pub(crate) mod register_reads;
pub(crate) mod registers;
pub(crate) mod search;
pub(crate) mod slice;
pub(crate) mod steps;
pub(crate) mod tails;
pub(crate) mod translations;
pub(crate) mod visits;
