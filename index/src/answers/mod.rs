//! Answers of queries: plain data, independent of the index.

pub(crate) mod call;
pub(crate) mod cell;
pub(crate) mod difference;
pub(crate) mod error;
pub(crate) mod heap;
pub(crate) mod index_info;
pub(crate) mod program;
pub(crate) mod register_file;
pub(crate) mod slice;
pub(crate) mod step_record;
pub(crate) mod value;
