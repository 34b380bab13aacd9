//! Semihosting calls with unknown destinations: the host may have written anywhere.
//!
//! ```text
//! open calls    for each, ascending: slot u64; finally u64::MAX if further calls are not listed
//! ```
//! They are all read when the index is opened.

use std::ops::Range;

use crate::store::packed::{MalformedEncoding, take_u64};

/// Stands for all calls after the last listed one.
pub(crate) const MORE: u64 = u64::MAX;

/// Calls that may have let the host write anywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnresolvedCalls {
    /// Slots of the calls, ascending.
    slots: Vec<u64>,
    /// Indices of the calls that were resolved or are being examined. Calls before it were kept,
    /// those after it are pending.
    hole: Range<usize>,
}

impl UnresolvedCalls {
    /// Creates the list from ascending slots.
    pub fn of(slots: Vec<u64>) -> Self {
        debug_assert!(slots.is_sorted(), "calls come in order");
        Self { slots, hole: 0..0 }
    }

    pub fn is_empty(&self) -> bool {
        self.hole.len() == self.slots.len()
    }

    /// Returns the first call from a slot on.
    pub fn next(&self, from: u64) -> Option<u64> {
        let [kept, waiting] = self.parts();
        let found = [kept, waiting]
            .into_iter()
            .find_map(|part| part.get(part.partition_point(|slot| *slot < from)))?;
        Some(if *found == MORE { from } else { *found })
    }

    /// Returns true if there was a call up to a slot.
    pub fn any_up_to(&self, slot: u64) -> bool {
        self.parts()
            .into_iter()
            .find_map(<[u64]>::first)
            .is_some_and(|first| *first <= slot)
    }

    /// Takes the next pending call off the list, unless [`Self::keep`] puts it back.
    pub fn take(&mut self) -> Option<u64> {
        let slot = *self
            .slots
            .get(self.hole.end)
            .filter(|slot| **slot != MORE)?;
        self.hole.end += 1;
        Some(slot)
    }

    /// Keeps the call that was taken last.
    pub fn keep(&mut self) {
        let Some(slot) = self
            .hole
            .end
            .checked_sub(1)
            .and_then(|last| self.slots.get(last))
            .copied()
        else {
            return;
        };
        if let Some(place) = self.slots.get_mut(self.hole.start) {
            *place = slot;
            self.hole.start += 1;
        }
    }

    /// Ends a pass: pending calls stay in the list. A further pass may follow.
    pub fn finish(&mut self) {
        let hole = std::mem::take(&mut self.hole);
        self.slots.drain(hole);
    }

    /// Encodes the calls.
    pub fn encode(&self) -> Vec<u8> {
        self.parts()
            .into_iter()
            .flatten()
            .flat_map(|slot| slot.to_le_bytes())
            .collect()
    }

    /// Decodes calls; `None` if the bytes are invalid.
    pub fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut slots = Vec::with_capacity(bytes.len() / size_of::<u64>());
        while !bytes.is_empty() {
            let slot = take_u64(&mut bytes).map_err(|MalformedEncoding| ()).ok()?;
            if slots.last().is_some_and(|before| *before >= slot) {
                return None;
            }
            slots.push(slot);
        }
        Some(Self::of(slots))
    }

    fn parts(&self) -> [&[u64]; 2] {
        let Range { start, end } = self.hole;
        [
            self.slots.get(..start).unwrap_or_default(),
            self.slots.get(end..).unwrap_or_default(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_is_found_among_those_that_are_kept_and_those_that_wait() {
        let mut calls = UnresolvedCalls::of(vec![3, 5, 8, MORE]);
        let next = |calls: &UnresolvedCalls| [0, 4, 6, 9].map(|from| calls.next(from));
        assert_eq!(next(&calls), [Some(3), Some(5), Some(8), Some(9)]);
        assert_eq!((calls.any_up_to(2), calls.any_up_to(3)), (false, true));
        assert_eq!(calls.take(), Some(3));
        assert_eq!(next(&calls), [Some(5), Some(5), Some(8), Some(9)]);
        assert_eq!(calls.take(), Some(5));
        calls.keep();
        assert_eq!(next(&calls), [Some(5), Some(5), Some(8), Some(9)]);
        assert_eq!((calls.take(), calls.take()), (Some(8), None));
        assert_eq!(next(&calls), [Some(5), Some(5), Some(6), Some(9)]);
        calls.finish();
        let again = UnresolvedCalls::decode(&calls.encode()).unwrap();
        assert_eq!(again.slots, [5, MORE]);
        assert!(!again.is_empty() && UnresolvedCalls::default().is_empty());
        assert_eq!(UnresolvedCalls::of(vec![7]).next(8), None);
    }

    #[test]
    fn what_nobody_writes_is_refused() {
        let bytes = |slots: &[u64]| {
            slots
                .iter()
                .flat_map(|slot| slot.to_le_bytes())
                .collect::<Vec<_>>()
        };
        assert!(UnresolvedCalls::decode(&bytes(&[2, 2])).is_none());
        assert!(UnresolvedCalls::decode(&bytes(&[2, 3])[1..]).is_none());
        assert!(UnresolvedCalls::decode(&[]).unwrap().is_empty());
    }
}
