//! Where control goes behind an instruction, in words that are the same for every architecture.

use crate::view::RegisterId;

/// What an instruction does to the program counter, when its condition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowKind {
    /// Control goes on behind it.
    #[default]
    Next,
    /// A jump.
    Branch,
    /// A jump that leaves a return address.
    Call,
    /// A jump that compilers end functions with.
    Return,
    /// It asks for an exception: a system call, a breakpoint, semihosting.
    Trap,
    /// It ends the handling of an exception.
    ExceptionReturn,
}

/// What an encoding says of control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlFlowEffect {
    /// What it does.
    pub flow: FlowKind,
    /// Where a jump goes.
    pub target: BranchTarget,
    /// When the instruction behind a jump is executed before control goes there.
    pub delay: DelaySlotRule,
}

/// Where a jump goes, as far as its encoding says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchTarget {
    /// It does not say: no jump, or one to what memory holds, or an encoding that is not known so well.
    #[default]
    Unsaid,
    /// To this address.
    Address(u64),
    /// Exactly to what this register held before; in sets that have such a bit, the address has the one that tells
    /// how to decode what is there.
    Register(RegisterId),
}

impl BranchTarget {
    /// The address, where the encoding has it.
    pub const fn address(self) -> Option<u64> {
        match self {
            Self::Address(address) => Some(address),
            Self::Unsaid | Self::Register(_) => None,
        }
    }
}

/// What becomes of the instruction behind a jump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DelaySlotRule {
    /// It is executed when control comes there again: no delay slot.
    #[default]
    None,
    /// It is executed before control goes to the target, whether the jump is taken or not.
    Slot,
    /// It is executed only when the jump is taken (SPARC's annul bit on a conditional branch).
    UnlessNotTaken,
    /// It is skipped even though it has a place there (SPARC's `ba,a`).
    Annulled,
}

/// Where an executed instruction leads, as far as it and its record tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlSuccessor {
    /// Neither tells.
    Open,
    /// To the instruction behind it.
    Behind,
    /// To this address.
    Address(u64),
    /// To what this register held before, as in [`Target::Register`].
    Register(RegisterId),
}

impl From<BranchTarget> for ControlSuccessor {
    fn from(target: BranchTarget) -> Self {
        match target {
            BranchTarget::Unsaid => Self::Open,
            BranchTarget::Address(address) => Self::Address(address),
            BranchTarget::Register(register) => Self::Register(register),
        }
    }
}
