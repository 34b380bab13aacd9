//! The values that the stack pointer had on a stack.

use serde::{Deserialize, Serialize};

/// How far from the values seen so far the stack pointer may be set within a stack: room for local variables.
pub const FAR: u64 = 4096;

/// The values that the stack pointer had on a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpRange(Option<(u64, u64)>);

impl SpRange {
    /// Adds a value.
    pub fn widen(&mut self, sp: u64) {
        let (low, high) = self.0.unwrap_or((sp, sp));
        self.0 = Some((low.min(sp), high.max(sp)));
    }

    /// Whether a value lies between those seen.
    pub fn contains(&self, sp: Option<u64>) -> bool {
        self.is_near(sp, 0) && self.0.is_some()
    }

    /// Whether a value lies at most so far from those seen; so does any while there are none.
    pub fn is_near(&self, sp: Option<u64>, distance: u64) -> bool {
        let Some(sp) = sp else { return false };
        self.0.is_none_or(|(low, high)| {
            (low.saturating_sub(distance)..=high.saturating_add(distance)).contains(&sp)
        })
    }

    /// Whether a value lies below the highest seen.
    pub fn is_above(&self, sp: Option<u64>) -> bool {
        self.0.zip(sp).is_some_and(|((_, high), sp)| sp < high)
    }

    /// Whether a value lies far above those seen.
    pub fn is_far_below(&self, sp: Option<u64>) -> bool {
        self.0
            .zip(sp)
            .is_some_and(|((_, high), sp)| sp > high.saturating_add(FAR))
    }
}
