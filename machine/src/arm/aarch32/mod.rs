//! Semantics of A32 and T32 instructions, from the operands that the disassembler finds (Arm
//! Architecture Reference Manual, DDI 0406).
//!
//! For Advanced SIMD and floating point, `vector` has a table of encoding classes with operands and
//! the kept parts of the destination.

pub(crate) mod a32;
pub(crate) mod instruction;
pub(crate) mod mainline;
pub(crate) mod memory;
pub(crate) mod structures;
pub(crate) mod t32;
pub(crate) mod values;
pub(crate) mod vector;
