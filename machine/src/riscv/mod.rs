//! What the instructions of RISC-V do: RV64GC, with Zba of the bit manipulations (The RISC-V Instruction Set Manual, volume I).
//!
//! The disassembler has no register lists for this architecture.

mod bits;
mod compressed;
mod float;
mod integer;
pub(crate) mod registers;
mod text;

pub(super) use bits::describe;
pub(super) use text::absolute;
