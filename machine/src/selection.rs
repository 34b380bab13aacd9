//! What an instruction chooses by the condition flags: a select, a conditional comparison.

use crate::expression::Expression;

/// A test of condition flags, which are bits of the status register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagTest {
    /// It holds when one of these is set,
    pub set: u64,
    /// or one of these is clear,
    pub clear: u64,
    /// or these two differ.
    pub differ: Option<(u64, u64)>,
    /// The other way round.
    pub is_negated: bool,
}

impl FlagTest {
    /// Whether it holds.
    pub fn holds(self, flags: u64) -> bool {
        let differs = self
            .differ
            .is_some_and(|(one, other)| (flags & one == 0) != (flags & other == 0));
        (flags & self.set != 0 || !flags & self.clear != 0 || differs) != self.is_negated
    }
}

/// What the result is made of, by a test: only one of two is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionalSelection {
    /// Which decides.
    pub test: FlagTest,
    /// What it is made of when the test holds; [`Expression::Unknown`]: of all that the instruction reads.
    pub chosen: Expression,
    /// What it is made of when it does not.
    pub otherwise: Expression,
}
