//! Effects of instructions on registers and memory.

pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod memory;
pub(crate) mod whole;
