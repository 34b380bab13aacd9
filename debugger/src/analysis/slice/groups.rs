//! Nesting of the frames of the rows.

use std::collections::HashMap;

use stepback_index::CallId;

use super::frames::Frames;

/// Callers of the frames of the rows taken until now. Memory: a number per frame, and at most
/// [`OUTWARD`] ancestors of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Callers {
    callers: HashMap<CallId, Option<CallId>>,
}

/// Maximum number of ancestors known per frame.
const OUTWARD: usize = 256;

impl Callers {
    /// Adds a frame and its ancestors.
    pub fn add(&mut self, call: Option<CallId>, frames: &Frames<'_>) {
        let mut next = call;
        for _ in 0..OUTWARD {
            let Some(call) = next.filter(|call| !self.callers.contains_key(call)) else {
                return;
            };
            next = frames.caller_of(call);
            self.callers.insert(call, next);
        }
    }

    /// Returns true if a frame equals `outer` or was called by it, directly or indirectly.
    pub fn is_inside(&self, inner: Option<CallId>, outer: Option<CallId>) -> bool {
        let outwards =
            std::iter::successors(inner, |call| self.callers.get(call).copied().flatten());
        outer.is_some() && outwards.take(OUTWARD).any(|call| Some(call) == outer)
    }
}
