//! Why a cell has its value, byte by byte: each byte of a register, each flag and each byte of memory has its last writer by
//! itself, looked for among all events.
//!
//! Where a value goes is the same told the other way round: step by step, each byte that a step makes holds the value when what
//! went into it comes from a byte that does.

mod exceptions;
mod fates;
mod flow;
mod made;
mod onward;
mod operand_bytes;
mod takings;
mod walk;
mod writers;
