//! What the instructions of RISC-V do: RV64GC, with Zba of the bit manipulations (The RISC-V Instruction Set Manual, volume I).
//!
//! The disassembler has no register lists for this architecture.

pub(crate) mod abi;
pub(crate) mod bits;
pub(crate) mod compressed;
pub(crate) mod control;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod registers;
pub(crate) mod set;
pub(crate) mod stub;
pub(crate) mod text;
pub(crate) mod text_flow;
pub(crate) mod words;
