//! Instruction forms of every architecture with their registers and effects, according to the
//! manuals.

mod a32;
mod a64;
mod dependences;
mod origins;
mod riscv;
mod riscv_words;
mod sparc;
mod sparc_text;
mod sparc_traces;
mod t32;
mod text;
mod x86;
