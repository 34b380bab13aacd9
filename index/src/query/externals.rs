//! External changes: the reads that contradicted what memory was known to hold.

use stepback_machine::AccessKind;
use stepback_parsers::{Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::answers::external_change::ExternalChange;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::bytes::ByteReader;
use crate::read::contradictions::Contradictions;
use crate::read::direction::Direction;
use crate::read::external_slots::ExternalSlots;
use crate::read::hits::HitReader;
use crate::read::records::RecordReader;
use crate::read::slots::{EventKind, SlotEvent, SlotReader};
use crate::store::granules::{bytes_between, granules_of, last_of};

/// External changes by steps from a position on, in the order of the trace.
/// Cost: one step's text for each, wherever they are; segments without any cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextExternalChanges {
    /// Only those of bytes of this range.
    pub range: Option<MemoryRange>,
    /// Whose reads; without it, those of all threads.
    pub thread: Option<ThreadId>,
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
    /// Whose reads; without it, those of all threads.
    pub thread: Option<ThreadId>,
    /// Before where.
    pub before: Position,
    /// At most this many.
    pub limit: usize,
}

impl Query for NextExternalChanges {
    type Answer = Vec<ExternalChange>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<ExternalChange>, QueryError> {
        SlotReader(index).check_position(self.from)?;
        let wanted = Wanted { range: self.range, thread: self.thread };
        let (mut found, mut from) = (Vec::new(), self.from.0);
        let mut slots = ExternalSlots::new(index, Direction::Onward, self.range);
        while found.len() < self.limit {
            cancel.check()?;
            let Some(slot) = slots.next(from.saturating_add(1), cancel)? else { break };
            found.extend(external_changes_in(index, slot, wanted)?);
            from = slot;
        }
        found.truncate(self.limit);
        Ok(found)
    }
}

impl Query for LastExternalChanges {
    type Answer = Vec<ExternalChange>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<ExternalChange>, QueryError> {
        SlotReader(index).check_position(self.before)?;
        let wanted = Wanted { range: self.range, thread: self.thread };
        let (mut found, mut last) = (Vec::new(), Some(self.before.0));
        let mut slots = ExternalSlots::new(index, Direction::Back, self.range);
        while found.len() < self.limit {
            cancel.check()?;
            let Some(bound) = last else { break };
            let Some(slot) = slots.next(bound, cancel)? else { break };
            found.extend(external_changes_in(index, slot, wanted)?.into_iter().rev());
            last = slot.checked_sub(1);
        }
        found.truncate(self.limit);
        Ok(found)
    }
}

/// Which external changes are meant.
#[derive(Clone, Copy)]
struct Wanted {
    range: Option<MemoryRange>,
    thread: Option<ThreadId>,
}

/// The external changes of a slot that are meant, in trace order, but for those that no step did.
fn external_changes_in<S: Source>(
    index: &Index<S>,
    slot: u64,
    wanted: Wanted,
) -> Result<Vec<ExternalChange>, QueryError> {
    let events = SlotReader(index).events(slot..slot + 1)?;
    let contradictions = Contradictions::of(index, &events)?;
    let (mut found, mut hits) = (Vec::new(), HitReader::new(index));
    for (place, event) in events.iter().enumerate().filter(|(_, event)| event.slot == slot) {
        let EventKind::Access { kind: AccessKind::Read, address, size_bytes, bytes: Some(bytes) } = event.kind else {
            continue;
        };
        let read = MemoryRange { address, len_bytes: u64::from(size_bytes.min(8)) };
        let is_whose = wanted.thread.is_none_or(|thread| thread == event.thread);
        if !is_whose || !contradicts(&contradictions, event, read, wanted.range) {
            continue;
        }
        let Some(step) = SlotReader(index).owner(event.thread, slot)? else { continue };
        let earlier = events.get(..place).unwrap_or_default();
        let known_before = known_before(index, read, slot, earlier)?;
        let bytes = bytes.into_iter().take(known_before.len()).collect();
        let hit = hits.hit(step, Position(slot), RecordReader(index).access_of(event, &contradictions))?;
        found.push(ExternalChange { hit, address, bytes, known_before });
    }
    Ok(found)
}

/// Whether a read contradicts what was known of its bytes that are in a range.
fn contradicts(
    contradictions: &Contradictions,
    event: &SlotEvent,
    read: MemoryRange,
    range: Option<MemoryRange>,
) -> bool {
    granules_of(read.address, read.len_bytes).any(|(granule, _)| {
        let wanted = match range {
            Some(range) => {
                last_of(range.address, range.len_bytes).map_or(0, |last| bytes_between(granule, range.address.0, last))
            }
            None => u64::MAX,
        };
        contradictions.bytes(event, granule) & wanted != 0
    })
}

/// What the trace told of some bytes before an event: of the events of its slot, only those before it count.
fn known_before<S: Source>(
    index: &Index<S>,
    read: MemoryRange,
    slot: u64,
    earlier: &[SlotEvent],
) -> Result<Vec<Option<u8>>, QueryError> {
    let mut known = match slot.checked_sub(1) {
        Some(before) => ByteReader(index).recorded_bytes(read, Position(before))?,
        None => vec![None; usize::try_from(read.len_bytes).unwrap_or_default()],
    };
    if let Some(region) = index.host_regions.at(slot) {
        let is_inside = |byte: u64| (region.first..=region.last).contains(&read.address.0.wrapping_add(byte));
        (0..).zip(&mut known).filter(|(byte, _)| is_inside(*byte)).for_each(|(_, known)| *known = None);
    }
    for event in earlier.iter().filter(|event| event.slot == slot) {
        let EventKind::Access { kind, address: touched, size_bytes, bytes } = event.kind else { continue };
        for (byte, known) in (0..).zip(&mut known) {
            let place = read.address.0.wrapping_add(byte).wrapping_sub(touched.0);
            if place >= u64::from(size_bytes) || kind == AccessKind::Read && bytes.is_none() {
                continue;
            }
            *known = bytes.and_then(|bytes| bytes.get(usize::try_from(place).ok()?).copied());
        }
    }
    Ok(known)
}
