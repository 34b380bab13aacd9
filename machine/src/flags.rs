//! Which condition flags an instruction uses: each flag is a bit of [`crate::RegisterId::PSR`] and a cell of its own.

/// The condition flags of an instruction, as bits of the status register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagUse {
    /// Those that decide about it or flow into it; none where all may.
    pub read: Option<u64>,
    /// Those that it gives a value; none where that may be all.
    pub written: Option<u64>,
    /// Of those that it gives a value: they may stay as they were, and so flow into themselves, but into nothing else.
    /// A shift by nought leaves them, and a sticky one is set and never cleared.
    pub kept: u64,
}
