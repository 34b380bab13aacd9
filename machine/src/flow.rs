//! Control transfers: branches, delay slots, linkage stubs, and flow from the text of an instruction.

pub use crate::abi::{LinkageStub, StubSlot};
pub use crate::control::{
    BranchTarget, ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind, OperandWordKind,
    RecordedBranch, TextFlow, without_prefix,
};
