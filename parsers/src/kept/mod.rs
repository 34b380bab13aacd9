//! Files that are derived from a trace once and stored next to its index.
//!
//! Each file records the state of the input that it belongs to. It is disposable: if anything is
//! wrong with it, it is made again.

pub(crate) mod places;

pub use places::{CacheFileOptions, CacheFilePlace};
