//! RISC-V with 64-bit and with 32-bit registers: RV64GC and RV32GC, vectors, bit manipulation,
//! half-precision numbers, and the privileged architecture (The RISC-V Instruction Set Manual,
//! volumes I and II).
//!
//! The disassembler lists no registers for this architecture and knows no extension beyond C:
//! registers follow from the encoding, and the text from tables.

pub(crate) mod access;
pub(crate) mod assembly;
pub(crate) mod bit_manipulation;
mod bits;
pub(crate) mod compressed;
pub(crate) mod csr;
pub(crate) mod extension_text;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod jumps;
pub(crate) mod linkage;
pub(crate) mod registers;
pub(crate) mod scalar_names;
pub(crate) mod set;
pub(crate) mod system;
mod target;
pub(crate) mod traps;
pub(crate) mod vector;
pub(crate) mod vector_forms;
pub(crate) mod vector_names;
pub(crate) mod xlen;
