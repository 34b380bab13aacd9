//! STF and zstf: binary traces of RISC-V simulators (Sparcians' STF tools, version 1.5).
//!
//! The records of an instruction precede its opcode, which ends the group. A zstf file holds the
//! same records in chunks that unpack separately, with an index. [`Stf`] writes the steps to a step
//! store, on several threads (`segments.rs`). Attributes of accesses, ready operands and bus
//! records are not kept.
//!
//! Reading stops at an unknown record, because records have no lengths; in a zstf file it goes on
//! with the next chunk, after a gap.

pub(crate) mod check;
mod container;
mod cursor;
mod events;
mod group;
mod head;
mod known;
mod opcodes;
mod output;
mod parts;
mod record;
mod recorder;
mod registers;
mod segment;
mod segments;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod threads;
mod usual;
mod values;
mod whole;

pub use container::StfContainer;
pub use head::StfHead;
pub use source::{NumberedRecord, Stf};
