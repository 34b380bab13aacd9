//! Files that are made from a trace once and kept beside its index.
//!
//! Each belongs to one state of its input and says so; it is disposable: whatever is wrong with it, it is made anew.

pub(crate) mod partial;
pub(crate) mod places;
pub(crate) mod store;

pub use places::{CacheFileOptions, CacheFilePlace, Identity};
