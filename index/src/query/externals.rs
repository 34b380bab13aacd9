//! External changes: the reads that contradicted what memory was known to hold.

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::answers::external_change::ExternalChange;
use crate::index::{Index, Query};
use crate::read::external_slots::{Direction, ExternalSlots};
use crate::read::slots::{EventKind, SlotEvent};
use crate::store::granules::{bytes_between, granules_of, last_of};

/// External changes by steps from a position on, in the order of the trace.
/// Cost: one step's text for each, wherever they are; segments without any cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextExternalChanges {
    /// Only those of bytes of this range.
    pub range: Option<MemoryRange>,
    /// From where.
    pub from: Position,
    /// At most this many.
    pub limit: usize,
}

/// External changes by steps before a position, the latest first. Cost: as for [`NextExternalChanges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastExternalChanges {
    /// Only those of bytes of this range.
    pub range: Option<MemoryRange>,
    /// Before where.
    pub before: Position,
    /// At most this many.
    pub limit: usize,
}

impl Query for NextExternalChanges {
    type Answer = Vec<ExternalChange>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<ExternalChange>, QueryError> {
        index.check_position(self.from)?;
        let (mut found, mut from) = (Vec::new(), self.from.0);
        let mut slots = ExternalSlots::new(index, Direction::Onward, self.range);
        while found.len() < self.limit {
            cancel.check()?;
            let Some(slot) = slots.next(from.saturating_add(1), cancel)? else { break };
            found.extend(index.external_changes_in(slot, self.range)?);
            from = slot;
        }
        found.truncate(self.limit);
        Ok(found)
    }
}

impl Query for LastExternalChanges {
    type Answer = Vec<ExternalChange>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<ExternalChange>, QueryError> {
        index.check_position(self.before)?;
        let (mut found, mut last) = (Vec::new(), Some(self.before.0));
        let mut slots = ExternalSlots::new(index, Direction::Back, self.range);
        while found.len() < self.limit {
            cancel.check()?;
            let Some(bound) = last else { break };
            let Some(slot) = slots.next(bound, cancel)? else { break };
            found.extend(index.external_changes_in(slot, self.range)?.into_iter().rev());
            last = slot.checked_sub(1);
        }
        found.truncate(self.limit);
        Ok(found)
    }
}

impl<S: Source> Index<S> {
    /// The external changes of a slot, in trace order, but for those that no step did.
    fn external_changes_in(&self, slot: u64, range: Option<MemoryRange>) -> Result<Vec<ExternalChange>, QueryError> {
        let events = self.events(slot..slot + 1)?;
        let mut found = Vec::new();
        for (place, event) in events.iter().enumerate().filter(|(_, event)| event.slot == slot) {
            let EventKind::Access { kind: AccessKind::Read, address, size_bytes, bytes: Some(bytes) } = event.kind
            else {
                continue;
            };
            let size_bytes = u64::from(size_bytes.min(8));
            if !self.contradicts(event, (address, size_bytes), range)? {
                continue;
            }
            let Some(step) = self.owner(event.thread, slot)? else { continue };
            let earlier = events.get(..place).unwrap_or_default();
            let known_before = self.known_before((address, size_bytes), slot, earlier)?;
            let bytes = bytes.into_iter().take(known_before.len()).collect();
            let hit = self.hit(step, Position(slot), self.access_of(event)?)?;
            found.push(ExternalChange { hit, address, bytes, known_before });
        }
        Ok(found)
    }

    /// Whether a read contradicts what was known of its bytes that are in a range.
    fn contradicts(
        &self,
        event: &SlotEvent,
        (address, size_bytes): (Address, u64),
        range: Option<MemoryRange>,
    ) -> Result<bool, QueryError> {
        for (granule, _) in granules_of(address, size_bytes) {
            let wanted = match range {
                Some(range) => last_of(range.address, range.len_bytes)
                    .map_or(0, |last| bytes_between(granule, range.address.0, last)),
                None => u64::MAX,
            };
            if wanted != 0 && self.contradictions(event, granule)? & wanted != 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the trace told of some bytes before an event: of the events of its slot, only those before it count.
    fn known_before(
        &self,
        (address, size_bytes): (Address, u64),
        slot: u64,
        earlier: &[SlotEvent],
    ) -> Result<Vec<Option<u8>>, QueryError> {
        let mut known = match slot.checked_sub(1) {
            Some(before) => self.recorded_bytes((address, size_bytes), Position(before))?,
            None => vec![None; usize::try_from(size_bytes).unwrap_or_default()],
        };
        if let Some(region) = self.host_regions.at(slot) {
            let is_inside = |byte: u64| (region.first..=region.last).contains(&address.0.wrapping_add(byte));
            (0..).zip(&mut known).filter(|(byte, _)| is_inside(*byte)).for_each(|(_, known)| *known = None);
        }
        for event in earlier.iter().filter(|event| event.slot == slot) {
            let EventKind::Access { kind, address: touched, size_bytes, bytes } = event.kind else { continue };
            for (byte, known) in (0..).zip(&mut known) {
                let place = address.0.wrapping_add(byte).wrapping_sub(touched.0);
                if place >= u64::from(size_bytes) || kind == AccessKind::Read && bytes.is_none() {
                    continue;
                }
                *known = bytes.and_then(|bytes| bytes.get(usize::try_from(place).ok()?).copied());
            }
        }
        Ok(known)
    }
}
