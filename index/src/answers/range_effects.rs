//! Inputs and outputs of a range of steps.

use stepback_machine::{Address, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::cell::MemoryRange;
use crate::answers::thread::ThreadId;

/// Registers and memory that the steps of a thread between two positions read and wrote.
///
/// Within one step, reads come before writes. For `ldr x0, [x1]; add x0, x0, x2; str x0, [x1]` the
/// inputs are `x1`, `x2` and the bytes at `x1`; the outputs are `x0` and these bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeEffects {
    /// Thread of the steps.
    pub thread: ThreadId,
    /// Number of steps of the thread.
    pub steps: u64,
    /// Register bytes that were read before they were written, by register. The name is that of the
    /// first step that used the register.
    pub register_inputs: Vec<RegisterEffect>,
    /// Register bytes that were written.
    pub register_outputs: Vec<RegisterEffect>,
    /// Memory that was read before it was written, by address.
    pub memory_inputs: Vec<MemoryInput>,
    /// Memory that was written, by address.
    pub memory_outputs: Vec<MemoryOutput>,
    /// Number of steps with unknown register operands: they may have read and written other
    /// registers.
    pub undecoded: u64,
    /// Number of memory accesses beyond the limit, which are not reported.
    pub left_out: u64,
}

/// Register bytes that were read before they were written, or that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegisterEffect {
    /// The bytes, as the first step that used them names the register.
    pub view: RegisterView,
    /// For an input, the first position from which the read is visible. For an output, the position
    /// of the last write.
    pub at: Position,
    /// On a processor with register windows the physical cell, because names change when windows
    /// rotate; otherwise the register.
    pub cell: RegisterId,
}

/// Memory that was read before it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryInput {
    /// Address of the first byte.
    pub address: Address,
    /// Value of each byte at its first read, if the trace records it.
    pub bytes: Vec<Option<u8>>,
    /// First position from which a read of one of the bytes is visible.
    pub at: Position,
}

/// Memory that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOutput {
    /// The bytes.
    pub range: MemoryRange,
    /// Position from which the last write to one of them is visible.
    pub at: Position,
}
