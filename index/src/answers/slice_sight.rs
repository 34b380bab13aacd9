//! Details of slice steps that the slicer has read anyway, so that callers need not read the trace
//! again.

use std::sync::Arc;

use stepback_machine::{AccessKind, Address, Instruction, InstructionSet};

use crate::answers::slice::SliceRow;

/// A row of a slice with details of its step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceRowDetail {
    /// The row.
    pub row: SliceRow,
    /// Details; `None` for the end of a chain, and if the trace does not show the step.
    pub sight: Option<SliceStepDetail>,
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
