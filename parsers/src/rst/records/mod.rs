//! Decoded records of the types with effects in a replay.

mod instruction;
mod memory;

pub use instruction::*;
pub use memory::*;
