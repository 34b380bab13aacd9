//! Rows of a program slice: the steps that a value depends on, the uses that led to each of them,
//! and the ends of the dependence chains.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_machine::{AccessKind, Address, Endian, Instruction, InstructionSet, RegisterView};
use stepback_parsers::{Line, Step};

use crate::answers::cell::ThreadId;
use crate::answers::step_record::Doubt;
use crate::answers::value::Value;

/// Kind of a dependence between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Edge {
    /// The result is passed on unchanged: a move, a load, a store.
    Copy,
    /// The result is an operand of a computation.
    Data,
    /// The result is part of an address.
    Address,
    /// The result is a condition flag that decides, or a carry.
    Flags,
    /// Control dependence: the step decided that the other one executed.
    Control,
}

/// Kinds of dependence to follow besides data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct EdgeKinds {
    /// Registers that form addresses.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub addresses: bool,
    /// Flags that decide a conditional instruction or a select, and carries.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flags: bool,
    /// Branches that decided about execution (control dependence).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub control: bool,
    /// Registers that a disassembler lists as read although the result may not depend on them: the
    /// old destination of LSL, UBFX, SXTW and similar instructions.
    #[serde(skip)]
    pub listed: bool,
}

impl EdgeKinds {
    /// Returns true if only data is followed.
    #[must_use]
    pub fn is_data_only(&self) -> bool {
        *self == Self::default()
    }
}

/// A part of the machine state in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SliceCell {
    /// Bytes of a register of a thread.
    Register {
        /// Thread of the register.
        thread: ThreadId,
        /// The bytes, under the name that the reading step uses.
        view: RegisterView,
    },
    /// Condition flags of a thread, as bits of the status register.
    Flags {
        /// Thread of the flags.
        thread: ThreadId,
        /// The flags.
        bits: u64,
    },
    /// Bytes of memory.
    Memory {
        /// Address of the first byte.
        address: Address,
        /// Number of bytes.
        len_bytes: u64,
    },
}

/// A step in a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceStep {
    /// The step.
    pub step: Step,
    /// Thread of the step.
    pub thread: ThreadId,
    /// Cells that the step defined and that the slice needs, with their values; sorted.
    pub defines: Vec<SliceDefinition>,
    /// Uses of the definitions; sorted, without duplicates.
    pub wanted_by: Vec<SliceUse>,
    /// Reason why the value may come from elsewhere.
    pub doubt: Option<Doubt>,
    /// Details that a backward walk has read anyway, so that callers need not read the trace again;
    /// `None` in forward walks, and if the trace does not show the step.
    pub detail: Option<SliceStepDetail>,
}

/// A cell that a step defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceDefinition {
    /// The cell.
    pub cell: SliceCell,
    /// The value, least significant byte first (for memory, the byte at the lowest address). For
    /// flags, the bits in their positions in the status register.
    pub value: Value,
    /// True if part of the value is inferred from other steps rather than recorded. See
    /// [`crate::query::DefinedValues`].
    pub is_inferred: bool,
}

impl SliceDefinition {
    /// Returns a definition with a recorded value.
    #[must_use]
    pub fn new(cell: SliceCell, value: Value) -> Self {
        Self {
            cell,
            value,
            is_inferred: false,
        }
    }

    /// Returns the value as a number, least significant byte first, in a trace of this byte order.
    #[must_use]
    pub fn number(&self, endian: Endian) -> Value {
        let mut value = self.value.clone();
        if endian == Endian::Big && matches!(self.cell, SliceCell::Memory { .. }) {
            value.0.reverse();
        }
        value
    }
}

/// A use of a result, and the kind of dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceUse {
    /// The later step; `None` for the query itself.
    pub step: Option<Step>,
    /// Kind of dependence.
    pub edge: Edge,
}

/// End of a dependence chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceEnd {
    /// Cause of the end.
    pub end: SliceEndKind,
    /// Cell at the end.
    pub cell: SliceCell,
    /// Uses of the cell; sorted, without duplicates.
    pub wanted_by: Vec<SliceUse>,
    /// Reason why the chain may continue: something that the trace shows only in part may have
    /// written the cell since.
    pub doubt: Option<Doubt>,
}

/// Cause of the end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceEndKind {
    /// The step computes it from constants only.
    Constant,
    /// The value was there before the first recorded step.
    Initial {
        /// Line that states it, if there is one.
        line: Option<Line>,
    },
    /// The program image contains it, and nothing wrote it.
    Image,
    /// The read of a step found a value that something outside the trace had written.
    External {
        /// The step that read it.
        seen_by: Option<Step>,
    },
    /// The system or the host supplied it at the request of a step.
    System {
        /// The requesting step.
        step: Option<Step>,
        /// Name of the request in Linux or in Arm's semihosting, if the trace records it.
        name: Option<&'static str>,
    },
    /// The inputs of the step are unknown.
    Unknown(UnknownInput),
    /// Forward slices only: nothing reads or overwrites it up to the end of the trace.
    Kept,
    /// Forward slices only: a step overwrites it before anything reads it.
    Overwritten {
        /// The step that writes its first byte, if a step does.
        by: Option<Step>,
    },
    /// The limit of the query is reached.
    Limit,
}

impl SliceEndKind {
    /// Returns the word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Initial { .. } => "initial",
            Self::Image => "image",
            Self::External { .. } => "external",
            Self::System { .. } => "system",
            Self::Unknown(_) => "unknown",
            Self::Kept => "kept",
            Self::Overwritten { .. } => "overwritten",
            Self::Limit => "limit",
        }
    }
}

/// Reason why the inputs of a step are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnknownInput {
    /// The trace does not show the instruction, or its bytes do not decode.
    Undecoded,
    /// The trace shows a write along with an exception, or one that the instruction does not make.
    NotOfInstruction,
    /// The instruction loads, and the trace does not show the address.
    LoadNotShown,
    /// The trace does not record accesses to memory, so a store may have written it.
    AccessesNotRecorded,
    /// The step loads more than a slice examines.
    TooMuchLoaded,
    /// The branch or call that decided about the step was not found: the trace shows no path to the
    /// step, or its function is too long.
    DeciderNotFound,
}

/// A row of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceRow {
    /// A step.
    Step(SliceStep),
    /// The end of a chain.
    End(SliceEnd),
}

/// Details of a step in a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceStepDetail {
    /// Address of the instruction.
    pub pc: Address,
    /// Instruction set of the encoding.
    pub set: InstructionSet,
    /// The decoded instruction; `None` if its bytes are unknown or do not decode, or if it was not
    /// executed.
    pub instruction: Option<Arc<Instruction>>,
    /// Recorded memory accesses, in the order of the records.
    pub accesses: Vec<SliceStepAccess>,
}

/// A memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceStepAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Lowest address.
    pub address: Address,
    /// Size in bytes.
    pub size_bytes: u8,
}
