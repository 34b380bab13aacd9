//! RISC-V: RV64GC, and Zba of the bit manipulation extensions (The RISC-V Instruction Set Manual,
//! volume I).
//!
//! The disassembler lists no registers for this architecture.

pub(crate) mod access;
mod bits;
pub(crate) mod compressed;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod set;
pub(crate) mod traps;
