//! Semantics of AArch64 instructions, from their encodings (Arm Architecture Reference Manual, DDI
//! 0487, C4).
//!
//! For Advanced SIMD and floating point, `vector` has a table of encoding classes with operands and
//! the kept parts of the destination.

pub(crate) mod arithmetic;
pub(crate) mod bits;
pub(crate) mod lanes;
pub(crate) mod memory;
pub(crate) mod scalable;
pub(crate) mod set;
pub(crate) mod structures;
pub(crate) mod vector;
