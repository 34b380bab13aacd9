//! Control flow after an instruction, in terms common to all architectures.

use crate::view::RegisterId;

/// Effect of an instruction on the program counter if its condition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowKind {
    /// Control continues with the next instruction.
    #[default]
    Next,
    /// A jump.
    Branch,
    /// A jump that saves a return address.
    Call,
    /// A jump that compilers use to end functions.
    Return,
    /// Raises an exception: a system call, a breakpoint, semihosting.
    Trap,
    /// Ends the handling of an exception.
    ExceptionReturn,
}

/// Control transfer as described by an encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlFlowEffect {
    /// Kind of transfer.
    pub flow: FlowKind,
    /// Destination of a jump.
    pub target: BranchTarget,
    /// Rule for the delay slot after a jump.
    pub delay: DelaySlotRule,
}

/// Destination of a jump, if the encoding states it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchTarget {
    /// Not stated: no jump, a jump through memory, or an encoding that is not modelled in this
    /// detail.
    #[default]
    Unsaid,
    /// This address.
    Address(u64),
    /// Exactly the previous value of this register. In sets that have one, the value includes the
    /// bit that selects the instruction set of the target.
    Register(RegisterId),
}

impl BranchTarget {
    /// Returns the address if the encoding states it.
    pub const fn address(self) -> Option<u64> {
        match self {
            Self::Address(address) => Some(address),
            Self::Unsaid | Self::Register(_) => None,
        }
    }
}

/// Rule for the instruction after a jump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DelaySlotRule {
    /// No delay slot: the instruction runs only when control reaches it again.
    #[default]
    None,
    /// Delay slot: runs before control reaches the target, whether or not the jump is taken.
    Slot,
    /// Runs only if the jump is taken (SPARC's annul bit on a conditional branch).
    UnlessNotTaken,
    /// Skipped although it occupies the slot (SPARC's `ba,a`).
    Annulled,
}

/// Successor of an executed instruction, from its encoding and its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlSuccessor {
    /// Unknown: neither states a successor.
    Open,
    /// The next instruction in memory.
    Behind,
    /// This address.
    Address(u64),
    /// The previous value of this register, as in [`BranchTarget::Register`].
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
