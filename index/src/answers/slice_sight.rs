//! What the walk of a slice saw of a step anyway, for who reads the slice: no second look at the trace is needed.

use std::sync::Arc;

use stepback_machine::{AccessKind, Address, Instruction, InstructionSet};

use crate::answers::slice::SliceRow;

/// A row of a slice with what was seen of its step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceRowDetail {
    /// The row.
    pub row: SliceRow,
    /// Of the step; none for the end of a chain, and where the trace does not show the step.
    pub sight: Option<SliceStepDetail>,
}

/// A step as the walk saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceStepDetail {
    /// Where it lies.
    pub pc: Address,
    /// How its bytes decode.
    pub set: InstructionSet,
    /// What it is; none where its bytes are not known or mean nothing, or it was not executed.
    pub instruction: Option<Arc<Instruction>>,
    /// The accesses to memory that the trace records of it, in the order of the records.
    pub accesses: Vec<SliceStepAccess>,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceStepAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// The lowest address.
    pub address: Address,
    /// Bytes.
    pub size_bytes: u8,
}
