//! Shared parts of the index tests: random traces, random queries, and the comparison of index and
//! oracle.

pub mod commit_log;
pub mod compare;
pub mod control;
pub mod delegate;
pub mod dice;
pub mod programs;
pub mod records;
pub mod rst_writer;
pub mod slices;
pub mod text;
