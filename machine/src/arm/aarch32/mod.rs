//! What the instructions of A32 and T32 do, from the operands that the disassembler finds
//! (Arm Architecture Reference Manual, DDI 0406).

pub(crate) mod a32;
pub(crate) mod flags;
pub(crate) mod instruction;
pub(crate) mod memory;
pub(crate) mod t32;
pub(crate) mod values;
