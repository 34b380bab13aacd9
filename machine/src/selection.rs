//! Results selected by condition flags: selects and conditional comparisons.

use crate::expression::Expression;

/// A test of condition flags, which are bits of the status register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagTest {
    /// Holds if any of these flags is set, …
    pub set: u64,
    /// … or any of these is clear, …
    pub clear: u64,
    /// … or these two differ.
    pub differ: Option<(u64, u64)>,
    /// Inverts the test.
    pub is_negated: bool,
}

impl FlagTest {
    /// Returns true if the test holds.
    pub fn holds(self, flags: u64) -> bool {
        let differs = self
            .differ
            .is_some_and(|(one, other)| (flags & one == 0) != (flags & other == 0));
        (flags & self.set != 0 || !flags & self.clear != 0 || differs) != self.is_negated
    }
}

/// Two alternatives for a result, of which the test selects one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionalSelection {
    /// The test that decides.
    pub test: FlagTest,
    /// Result if the test holds; [`Expression::Unknown`] for one that depends on all registers
    /// read.
    pub chosen: Expression,
    /// Result if it does not hold.
    pub otherwise: Expression,
}
