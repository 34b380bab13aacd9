//! Use of condition flags. Each flag is a bit of [`crate::RegisterId::PSR`] and is tracked as its
//! own cell.

/// Condition flags that an instruction reads and writes, as bits of the status register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagUse {
    /// Flags that decide the outcome or flow into a result; none if any flag may.
    pub read: Option<u64>,
    /// Flags that the instruction writes; none if it may write all.
    pub written: Option<u64>,
    /// Written flags that may keep their values: they depend on themselves, and nothing else
    /// depends on them. For example, a shift by zero leaves the flags unchanged, and a sticky flag
    /// is set but never cleared.
    pub kept: u64,
}
