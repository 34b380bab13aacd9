//! Reads that contradict the known contents of memory.

use crate::answers::cell::MemoryRange;
use crate::answers::direction::Direction;
use crate::answers::external_change::ExternalChange;
use crate::oracle::event::{OracleEvent, OracleEventKind};
use crate::oracle::passed_over::behind_known;
use crate::oracle::record::{Oracle, Replay};
use crate::query::externals::ExternalChanges;

impl Replay for ExternalChanges {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<ExternalChange>> {
        oracle.check(self.at)?;
        let here = oracle.events_until(self.at).len();
        let places: Vec<usize> = match self.direction {
            Direction::Back => (0..here).rev().collect(),
            Direction::Forward => (here..oracle.events.len()).collect(),
        };
        let is_by = |change: &ExternalChange| {
            self.thread
                .is_none_or(|thread| change.hit.record.thread == thread)
        };
        let found = places
            .into_iter()
            .filter_map(|place| oracle.external_change(place, self.range))
            .filter(is_by);
        let found = behind_known(found, self.skip, |change| change.hit.position);
        Some(found.take(self.limit).collect())
    }
}

impl Oracle {
    /// Returns the event as an external change of a range, if it is one.
    fn external_change(&self, place: usize, range: Option<MemoryRange>) -> Option<ExternalChange> {
        let event = self.events.get(place)?;
        let OracleEventKind::Access(access) = &event.kind else {
            return None;
        };
        let is_inside = |address: &u64| match range {
            Some(range) => address
                .checked_sub(range.address.0)
                .is_some_and(|offset| offset < range.len_bytes),
            None => true,
        };
        if !access.contradicting.iter().any(is_inside) {
            return None;
        }
        let bytes = access.each_byte().filter_map(|(_, value)| value).collect();
        let known_before = access
            .each_byte()
            .map(|(address, _)| self.known_before(place, address))
            .collect();
        Some(ExternalChange {
            hit: self.hit_of(event)?,
            address: access.address,
            bytes,
            known_before,
        })
    }

    /// Returns the value of a byte as known from the previous events.
    fn known_before(&self, place: usize, address: u64) -> Option<u8> {
        let mut state = crate::answers::byte_state::ByteState::default();
        let earlier: &[OracleEvent] = self.events.get(..place).unwrap_or_default();
        earlier
            .iter()
            .for_each(|event| crate::oracle::memory::follow(&mut state, event, address));
        state.value
    }
}
