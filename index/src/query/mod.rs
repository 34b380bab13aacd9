//! The questions: one file a question.

pub(crate) mod access;
pub(crate) mod accesses;
pub(crate) mod allocations;
mod asked;
pub(crate) mod byte_touches;
mod decoded;
pub(crate) mod difference;
pub(crate) mod externals;
pub(crate) mod folds;
pub(crate) mod inferred_memory;
pub(crate) mod inferred_registers;
mod known_before;
pub(crate) mod markers;
pub(crate) mod memory;
pub(crate) mod page_heat;
pub(crate) mod places;
pub(crate) mod question;
pub(crate) mod raw_lines;
pub(crate) mod register_reads;
pub(crate) mod registers;
pub(crate) mod search;
pub(crate) mod steps;
pub(crate) mod tails;
pub(crate) mod translations;
pub(crate) mod visits;
