//! Slices byte by byte: each byte of a register, each flag and each byte of memory has its own last
//! writer, found by scanning all events.
//!
//! Forward slices work in the opposite direction: step by step, a byte that a step defines holds
//! the value if one of its inputs comes from a byte that does.

mod exceptions;
mod fates;
mod flow;
mod made;
mod onward;
mod walk;
mod writers;
