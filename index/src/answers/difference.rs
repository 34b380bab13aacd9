//! Answers about change: the [`Difference`] between two positions, the [`RangeEffects`] of the
//! steps between them, and each [`ExternalChange`], a read that contradicts the known contents of
//! memory. Memory is reported in runs of bytes, each with the step or position that shows the run.

use stepback_machine::{Address, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::step_record::Hit;
use crate::answers::value::Value;

/// Registers and memory that differ between two positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Registers whose values differ, in the order of the register file.
    pub registers: Vec<RegisterDifference>,
    /// Memory that differs, by address, in runs of at most 16 bytes with the same last writer.
    pub memory: Vec<MemoryDifference>,
    /// Number of 64-byte blocks with changed bytes that have no recorded value and were too many to
    /// infer.
    pub blocks_not_inferred: u64,
}

/// A register that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterDifference {
    /// Displayed name.
    pub name: String,
    /// Bytes of the register.
    pub view: RegisterView,
    /// Value at `from`.
    pub from: Value,
    /// Value at `to`.
    pub to: Value,
    /// Last step before the later position that wrote the register.
    pub last_write: Option<Step>,
}

/// A run of memory that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDifference {
    /// Address of the first byte.
    pub address: Address,
    /// Bytes at `from`, in address order.
    pub from: Vec<Option<u8>>,
    /// Bytes at `to`.
    pub to: Vec<Option<u8>>,
    /// Last step before the later position that wrote the bytes, or whose read showed an external
    /// write.
    pub last_write: Option<Step>,
}

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

/// A read that contradicted the known contents of memory: something outside the trace had written
/// there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalChange {
    /// The read.
    pub hit: Hit,
    /// Address of the first byte.
    pub address: Address,
    /// Bytes that the read returned, in address order.
    pub bytes: Vec<u8>,
    /// Value of each byte just before, as known from the trace up to there.
    pub known_before: Vec<Option<u8>>,
}
