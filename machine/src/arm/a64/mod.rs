//! What the instructions of AArch64 do, from their encodings (Arm Architecture Reference Manual, DDI 0487, C4).
//!
//! For Advanced SIMD and floating point, `vector` has a table of encoding classes: operands, and what the destination keeps.

pub(crate) mod arithmetic;
pub(crate) mod bits;
pub(crate) mod blocks;
pub(crate) mod control;
pub(crate) mod float;
pub(crate) mod lanes;
pub(crate) mod memory;
pub(crate) mod scalable;
pub(crate) mod set;
pub(crate) mod structures;
pub(crate) mod tags;
pub(crate) mod vector;
