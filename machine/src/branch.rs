//! Branch outcomes as traces record them.

use serde::{Deserialize, Serialize};

/// Effect of an instruction on control flow, for formats whose records state it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RecordedBranch {
    /// Not stated by the format; the encoding may state it.
    #[default]
    Unsaid,
    /// Not a branch.
    None,
    /// A jump to an address in the instruction.
    Jump,
    /// A jump to an address in a register or in memory; neither a call nor a return.
    IndirectJump,
    /// A conditional jump, and whether it was taken; none when the format does not state that.
    Conditional(Option<bool>),
    /// A call of an address in the instruction.
    Call,
    /// A call of an address in a register or in memory.
    IndirectCall,
    /// A return, including a return from an interrupt.
    Return,
    /// An entry into the kernel that returns to another address (`sysenter`).
    SystemEntry,
}
