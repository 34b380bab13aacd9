//! Instruction text in the syntax of the GNU disassembler.

pub(crate) mod arithmetic;
pub(crate) mod branch;
pub(crate) mod forms;
pub(crate) mod memory;
pub(crate) mod names;
