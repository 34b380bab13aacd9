//! What the instructions of A32 and T32 do, from the operands that the disassembler finds
//! (Arm Architecture Reference Manual, DDI 0406).

mod instruction;
mod memory;
mod values;

pub(crate) use instruction::describe;
