//! Converts files to records, regardless of their container.

pub(super) mod ahead;
pub(super) mod batch;
mod code;
pub(super) mod kind;
mod paged;
mod rz2;
mod rz3;
pub(super) mod unpacking;
