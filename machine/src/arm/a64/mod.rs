//! What the instructions of AArch64 do, from their encodings (Arm Architecture Reference Manual, DDI 0487, C4).
//!
//! General registers, loads and stores, branches and moves between register files are described here;
//! for the arithmetic of vectors the disassembler says which registers are used.

pub(crate) mod arithmetic;
pub(crate) mod bits;
pub(crate) mod control;
pub(crate) mod float;
pub(crate) mod memory;
pub(crate) mod set;
pub(crate) mod structures;
