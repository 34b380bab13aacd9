//! The records of a trace in the order of the whole, to be read anywhere.
//!
//! The files of a trace are compressed, and their threads are interleaved; to find a step in them means to unpack them from the front.
//! So the first opening reads them once, on a thread of its own, and writes the records again in small blocks that decode by themselves
//! into a file beside the index (`kept/`); a step takes two to four bytes there.
//! [`StepStore`] reads blocks while the rest still comes.

mod block;
mod blocks;
mod code;
mod code_table;
mod codes;
mod encoder;
mod fill;
mod layout;
mod numbers;
mod shared;
mod step_store;
#[cfg(test)]
mod tests;

pub use block::{BlockVisitor, ITEMS};
pub use code::Code;
pub use encoder::Encoder;
pub use fill::Filler;
pub use layout::Facts;
pub use step_store::{ReadTrace, StepStore, StoreScratch};

use stepback_machine::InstructionSet;

/// The instruction set of a number that was made by `set as u8`.
fn instruction_set(number: u8) -> Option<InstructionSet> {
    use InstructionSet::{A32, A64, Regdeps, Riscv64, T32, X86_32, X86_64};
    [A64, A32, T32, X86_64, X86_32, Riscv64, Regdeps].into_iter().find(|set| *set as u8 == number)
}
