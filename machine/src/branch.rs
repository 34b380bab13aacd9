//! What a record says of a branch.

use serde::{Deserialize, Serialize};

/// What an instruction did to control, in formats whose records say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RecordedBranch {
    /// The format does not say; the encoding may.
    #[default]
    Unsaid,
    /// No branch.
    None,
    /// A jump to an address that the instruction holds.
    Jump,
    /// A jump to an address that a register or memory holds; no call and no return.
    IndirectJump,
    /// A conditional jump; none when the format does not say whether it was taken.
    Conditional(Option<bool>),
    /// A call of an address that the instruction holds.
    Call,
    /// A call of an address that a register or memory holds.
    IndirectCall,
    /// A return, from an interrupt too.
    Return,
    /// An entry into the kernel that comes back elsewhere (`sysenter`).
    SystemEntry,
}
