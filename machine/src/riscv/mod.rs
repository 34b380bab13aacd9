//! RISC-V with 64-bit and with 32-bit registers: RV64GC and RV32GC, and Zba of the bit manipulation
//! extensions (The RISC-V Instruction Set Manual, volume I).
//!
//! The disassembler lists no registers for this architecture.

pub(crate) mod access;
pub(crate) mod assembly;
mod bits;
pub(crate) mod compressed;
pub(crate) mod csr;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod linkage;
pub(crate) mod registers;
pub(crate) mod set;
pub(crate) mod traps;
