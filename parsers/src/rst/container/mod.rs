//! Converts files to records, regardless of their container.

pub(super) mod ahead;
mod code;
mod paged;
mod rz2;
mod rz3;
pub(super) mod unpacking;
