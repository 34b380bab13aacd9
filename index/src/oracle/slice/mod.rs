//! Why a cell has its value, byte by byte: each byte of a register, each flag and each byte of memory has its last writer by
//! itself, looked for among all events.

mod flow;
mod operand_bytes;
mod walk;
mod writers;
