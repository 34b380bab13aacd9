//! What steps read before they wrote it, and what they wrote.

use stepback_machine::{Address, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::cell::MemoryRange;
use crate::answers::thread::ThreadId;

/// What the steps of a thread between two positions took in, and what they left behind.
///
/// What a step reads counts before what it writes. Of `ldr x0, [x1]; add x0, x0, x2; str x0, [x1]` the inputs are `x1`, `x2`
/// and the bytes at `x1`, the outputs `x0` and these bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeEffects {
    /// Whose.
    pub thread: ThreadId,
    /// How many steps of the thread there are.
    pub steps: u64,
    /// Bytes of registers that were read before they were written, by register; as the step that first used one names it.
    pub register_inputs: Vec<RegisterEffect>,
    /// Those that were written.
    pub register_outputs: Vec<RegisterEffect>,
    /// Runs of memory that were read before they were written, by address.
    pub memory_inputs: Vec<MemoryInput>,
    /// Those that were written.
    pub memory_outputs: Vec<MemoryOutput>,
    /// Steps of which nobody knows the registers: they may have read and written others.
    pub undecoded: u64,
    /// Accesses of memory beyond the limit, of which nothing is told.
    pub left_out: u64,
}

/// Bytes of a register that were read before they were written, or that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegisterEffect {
    /// Which, as the step that first used it names it.
    pub view: RegisterView,
    /// The first position from which a read of the register shows that found what was there before; the last one of a write.
    pub at: Position,
    /// On a processor with windows the cell that was meant, which names do not tell where windows turn; else the register.
    pub cell: RegisterId,
}

/// Memory that was read before it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryInput {
    /// Its first byte.
    pub address: Address,
    /// What the first read of each byte found, where the trace says.
    pub bytes: Vec<Option<u8>>,
    /// The first position from which a read of one of the bytes shows.
    pub at: Position,
}

/// Memory that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOutput {
    /// Its bytes.
    pub range: MemoryRange,
    /// The last position from which a write of one of them shows.
    pub at: Position,
}
