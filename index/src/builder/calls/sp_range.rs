//! Range of the stack pointer on a stack.

use serde::{Deserialize, Serialize};

/// Maximum distance from the known range at which the stack pointer is set within the same stack:
/// room for local variables.
pub const FAR: u64 = 4096;

/// Range of the stack pointer on a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpRange(Option<(u64, u64)>);

impl SpRange {
    /// Adds a value.
    pub fn widen(&mut self, sp: u64) {
        let (low, high) = self.0.unwrap_or((sp, sp));
        self.0 = Some((low.min(sp), high.max(sp)));
    }

    /// Returns true if a value lies within the range.
    pub fn contains(&self, sp: Option<u64>) -> bool {
        self.is_near(sp, 0) && self.0.is_some()
    }

    /// Returns true if a value lies at most `distance` outside the range, or the range is empty.
    pub fn is_near(&self, sp: Option<u64>, distance: u64) -> bool {
        let Some(sp) = sp else { return false };
        self.0.is_none_or(|(low, high)| {
            (low.saturating_sub(distance)..=high.saturating_add(distance)).contains(&sp)
        })
    }

    /// Returns true if a value lies below the top of the range.
    pub fn is_above(&self, sp: Option<u64>) -> bool {
        self.0.zip(sp).is_some_and(|((_, high), sp)| sp < high)
    }

    /// Returns true if a value lies far above the range.
    pub fn is_far_below(&self, sp: Option<u64>) -> bool {
        self.0
            .zip(sp)
            .is_some_and(|((_, high), sp)| sp > high.saturating_add(FAR))
    }
}
