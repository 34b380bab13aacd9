//! The slots to read in order to follow a thread around a position: [`RunSlots`], within a
//! [`StepRadius`].
//!
//! Other threads may have done all nearby steps. Then the run continues with the thread's own
//! steps, at any distance:
//!
//! ```text
//! own steps   ......|           |......
//! slots       [ piece ]  [slot] [ piece ]      the slot contains a marker of the thread
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use stepback_parsers::{MarkerKind, Position};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::concurrent;
use crate::read::doubts::BREAKS;
use crate::read::slots::SlotReader;

/// Markers besides [`BREAKS`] that state register values.
const STATEMENTS: [MarkerKind; 4] = [
    MarkerKind::FUNCTION,
    MarkerKind::SYSTEM_CALL,
    MarkerKind::ARGUMENT,
    MarkerKind::RETURN_VALUE,
];
/// Maximum number of slots with markers that are read between two steps of a thread.
const MARKER_SLOTS: usize = 64;

/// Slots of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunSlots {
    /// Ascending; in between, the thread has neither steps nor markers.
    pub pieces: Vec<Range<u64>>,
    /// True if the thread has no steps after the last piece.
    pub reaches_end: bool,
}

impl RunSlots {
    /// Returns the slots as one piece.
    pub fn single(index: &Index, slots: Range<u64>) -> Self {
        let reaches_end = index.threads().len() == 1 && slots.end > index.step_count();
        Self {
            pieces: vec![slots],
            reaches_end,
        }
    }

    /// Returns the slots around some slots, together with the nearest steps of the thread. Cost:
    /// lookups in the lists of the thread, and in those of each kind of marker if its next steps
    /// are far away.
    pub fn around(
        index: &Index,
        thread: ThreadId,
        slots: Range<u64>,
        surroundings: StepRadius,
    ) -> Result<Self, QueryError> {
        let near = surroundings.of(index, slots.clone());
        if index.threads().len() == 1 {
            return Ok(Self::single(index, near));
        }
        let reader = SlotReader(index);
        let last = reader
            .owner(thread, slots.start)?
            .map(|step| step.after().0);
        let next = reader
            .next_step_of(thread, Position(slots.end))?
            .map(|step| step.after().0);
        let mut pieces = Vec::new();
        if let Some(last) = last.filter(|last| *last < near.start)
            && let Some(between) = marker_slots(index, thread, last + 1..near.start)?
        {
            let before = surroundings.of(index, last..last);
            pieces.push(before.start..before.end.min(last + 1));
            pieces.extend(between);
        }
        pieces.push(near.clone());
        if let Some(next) = next.filter(|next| *next >= near.end)
            && let Some(between) = marker_slots(index, thread, near.end..next)?
        {
            pieces.extend(between);
            pieces.push(next..surroundings.of(index, next..next).end);
        }
        Ok(Self {
            pieces,
            reaches_end: next.is_none(),
        })
    }
}

/// Returns the slots of a range in which a thread has relevant markers, each as a piece; `None` if
/// there are too many.
fn marker_slots(
    index: &Index,
    thread: ThreadId,
    range: Range<u64>,
) -> Result<Option<Vec<Range<u64>>>, QueryError> {
    let mut found = BTreeSet::new();
    for kind in BREAKS.into_iter().chain(STATEMENTS) {
        let mut from = range.start;
        while let Some(slot) =
            concurrent::nearest_marker(index, thread, kind, from, Direction::Forward)?
                .filter(|slot| *slot < range.end)
        {
            found.insert(slot);
            if found.len() > MARKER_SLOTS {
                return Ok(None);
            }
            from = slot + 1;
        }
    }
    Ok(Some(found.into_iter().map(|slot| slot..slot + 1).collect()))
}

/// Numbers of steps to follow around a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRadius {
    /// Steps before it.
    pub before: u64,
    /// Steps after it.
    pub after: u64,
}

impl StepRadius {
    /// Returns the range of slots to follow around some slots.
    pub fn of(self, index: &Index, slots: Range<u64>) -> Range<u64> {
        let first = slots.start.saturating_sub(self.before).max(1);
        let end = slots.end.saturating_add(self.after).min(index.step_count()) + 1;
        first..end.max(first)
    }
}
