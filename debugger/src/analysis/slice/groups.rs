//! Which frames the rows are in, one inside of another.

use std::collections::HashMap;

use stepback_index::CallId;

use super::frames::Frames;

/// Who called the frames of the rows taken so far. Memory: a number a frame, of each at most [`OUTWARD`] around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Callers {
    callers: HashMap<CallId, Option<CallId>>,
}

/// Frames further out are not known to be around.
const OUTWARD: usize = 256;

impl Callers {
    /// Notes the frames around one.
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

    /// Whether a frame is another, or was called by it in the end.
    pub fn is_inside(&self, inner: Option<CallId>, outer: Option<CallId>) -> bool {
        let outwards =
            std::iter::successors(inner, |call| self.callers.get(call).copied().flatten());
        outer.is_some() && outwards.take(OUTWARD).any(|call| Some(call) == outer)
    }
}
