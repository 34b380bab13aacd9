//! Queries for the accesses of memory: those of a range in trace order ([`AccessesOf`]), the share
//! of steps that load and store ([`AccessShares`]), and two that read posting lists only and no
//! text: the last load and store of each byte ([`TouchesAt`]) and the nearest store that may change
//! one ([`NearestPossibleChange`]).

use std::collections::BTreeSet;

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{AccessKinds, Direction, MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Hit;
use crate::answers::value::ByteTouch;
use crate::index::Index;
use crate::query::access_search::AccessWindow;
use crate::query::question::{InMemory, Query};
use crate::read::bytes::ByteReader;
use crate::read::contradictions::Contradictions;
use crate::read::recorded_accesses::check_records_accesses;
use crate::read::records::{self, FoundAccess};
use crate::read::slots::{SlotEventKind, SlotReader};
use crate::read::touches::{ByteTouches, SlotBound, TouchFilter, TouchReader};
use crate::store::granules::{GRANULE_BITS, Granule, Touch, byte_mask, granules_of, last_of};
use crate::store::regions::host_regions::AddressRange;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Finds the accesses of a range of memory from a position on, in trace order. Accesses that no
/// step did are left out. Cost: the lists of the range in the segments up to the last hit, and the
/// text of the hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccessesOf {
    /// Memory range.
    pub range: MemoryRange,
    /// Kinds of access that count.
    pub kinds: AccessKinds,
    /// Accessing thread; all threads without one.
    pub thread: Option<ThreadId>,
    /// Position from which accesses count.
    pub from: Position,
    /// Number of accesses passed over at the first position that has any: those that are known
    /// already.
    pub skip: usize,
    /// Maximum number of accesses in the answer.
    pub limit: usize,
}

impl Query for AccessesOf {
    type Answer = Vec<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Hit>, QueryError> {
        self.in_memory(index, self.thread, cancel)
    }
}

impl InMemory for AccessesOf {
    fn in_memory(
        &self,
        index: &Index,
        seen_by: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError> {
        SlotReader(index).check_position(self.from)?;
        let memory = SlotReader(index).memory_at(seen_by, self.from)?;
        let (mut first, mut found) = (self.from.0.saturating_add(1), Vec::new());
        let mut part = AccessWindow {
            skip: self.skip,
            limit: self.limit,
        };
        for number in index.segments_with(first..u64::MAX) {
            for slot in self.slots_in(index, number, first)? {
                cancel.check()?;
                if found.len() >= self.limit {
                    return records::hits(index, found);
                }
                part.limit = self.limit - found.len();
                let is_meant = memory.map_or(Ok(true), |memory| {
                    SlotReader(index).is_in_memory(slot, memory)
                })?;
                if is_meant {
                    found.extend(self.accesses_in(index, slot, &mut part)?);
                }
                // A slot may continue in the next segment, but was read as a whole.
                first = slot + 1;
            }
        }
        if found.is_empty() {
            check_records_accesses(index)?;
        }
        records::hits(index, found)
    }
}

impl AccessesOf {
    /// Returns some of the accesses in a slot that steps did.
    fn accesses_in(
        &self,
        index: &Index,
        slot: u64,
        part: &mut AccessWindow,
    ) -> Result<Vec<FoundAccess>, QueryError> {
        let (mut found, mut left) = (Vec::new(), part.skip);
        let mut contradictions = Contradictions::default();
        SlotReader(index).each_event(slot..slot + 1, |event| {
            contradictions.go_on(index, &event)?;
            let is_whose = self.thread.is_none_or(|thread| thread == event.thread);
            if found.len() >= part.limit || !is_whose || !self.is_meant(&event.kind) {
                return Ok(());
            }
            let Some(step) = SlotReader(index).owner(event.thread, slot)? else {
                return Ok(());
            };
            if left > 0 {
                left -= 1;
            } else {
                let access = records::access_of(index, &event, &contradictions);
                found.push(FoundAccess {
                    step,
                    position: Position(slot),
                    access,
                });
            }
            Ok(())
        })?;
        part.skip = if left < part.skip { 0 } else { left };
        Ok(found)
    }

    fn is_meant(&self, event: &SlotEventKind) -> bool {
        let SlotEventKind::Access {
            kind,
            address,
            size_bytes,
            ..
        } = event
        else {
            return false;
        };
        let ends = last_of(self.range.address, self.range.len_bytes)
            .zip(last_of(*address, u64::from(*size_bytes)));
        let overlaps =
            ends.is_some_and(|(last, end)| address.0 <= last && self.range.address.0 <= end);
        self.kinds.includes(*kind) && overlaps
    }

    /// Returns the slots of a segment, from one of the trace on, that touch the range.
    fn slots_in(
        &self,
        index: &Index,
        number: usize,
        first: u64,
    ) -> Result<BTreeSet<u64>, QueryError> {
        let (Some(segment), Some(end)) = (
            index.segment(number),
            last_of(self.range.address, self.range.len_bytes),
        ) else {
            return Ok(BTreeSet::new());
        };
        let base = segment.meta.step_base;
        let from = segment.local_slot(first);
        let (low, high) = (self.range.address.0 >> GRANULE_BITS, end >> GRANULE_BITS);
        let (mut slots, mut is_bad) = (BTreeSet::new(), false);
        let walked = segment
            .granules()?
            .for_each_from(low, |key, list: Granule<'_>| {
                if key > high {
                    return false;
                }
                let start = if key == low {
                    self.range.address.0 & 63
                } else {
                    0
                };
                let stop = if key == high { end & 63 } else { 63 };
                let wanted = byte_mask(start, stop - start + 1);
                let each = |touch: Touch, _| {
                    if touch.shape.mask() & wanted != 0 {
                        slots.insert(base + u64::from(touch.slot));
                    }
                    true
                };
                is_bad |= list
                    .walk_forward(from, |masks| (masks.read | masks.write) & wanted != 0, each)
                    .is_err();
                !is_bad
            });
        walked
            .ok()
            .filter(|()| !is_bad)
            .ok_or_else(|| damaged(Section::Granules))?;
        Ok(slots)
    }
}

/// Counts the steps among some consecutive ones that read and write memory, as the trace records
/// it. Cost: reads the text of these steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccessShares {
    /// First step.
    pub first: Step,
    /// Number of steps; fewer are examined at the end of the trace.
    pub count: u64,
}

/// Numbers of steps by their accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessShare {
    /// Steps examined.
    pub steps: u64,
    /// Steps that read.
    pub reads: u64,
    /// Steps that write.
    pub writes: u64,
}

impl Query for AccessShares {
    type Answer = AccessShare;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<AccessShare, QueryError> {
        cancel.check()?;
        let end = self
            .first
            .0
            .saturating_add(self.count)
            .min(index.step_count());
        let mut share = AccessShare {
            steps: end.saturating_sub(self.first.0),
            ..AccessShare::default()
        };
        if share.steps == 0 {
            return Ok(share);
        }
        let (mut read, mut written) = (None, None);
        // The effects of a step are in the slot after it.
        let slots = self.first.0.saturating_add(1)..end.saturating_add(1);
        SlotReader(index).each_event(slots.clone(), |event| {
            let SlotEventKind::Access { kind, .. } = event.kind else {
                return Ok(());
            };
            if !slots.contains(&event.slot) {
                return Ok(());
            }
            let (last, count) = match kind {
                AccessKind::Read => (&mut read, &mut share.reads),
                AccessKind::Write => (&mut written, &mut share.writes),
            };
            if last.replace(event.slot) != Some(event.slot) {
                *count += 1;
            }
            Ok(())
        })?;
        Ok(share)
    }
}

/// Finds the last read and write of each byte before a position. Cost: as many lookups as there are
/// blocks of 64 bytes; no text is read, so it is cheap if values are not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TouchesAt {
    /// Position of the query.
    pub position: Position,
    /// Address of the first byte.
    pub address: Address,
    /// Number of bytes; bytes beyond the end of the address space are left out.
    pub len_bytes: u64,
}

impl Query for TouchesAt {
    type Answer = Vec<ByteTouch>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<ByteTouch>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let reader =
            TouchReader::in_memory(index, SlotReader(index).memory_at(None, self.position)?);
        let mut bytes = Vec::new();
        for (granule, mask) in granules_of(self.address, self.len_bytes) {
            cancel.check()?;
            let writes =
                reader.last_touches(granule, mask, self.position.0, TouchFilter::Writes)?;
            let reads = reader.last_touches(granule, mask, self.position.0, TouchFilter::Reads)?;
            let at = |touches: &ByteTouches, place: usize| {
                touches[place].map(|touch| Position(touch.slot))
            };
            let wanted = (0..64).filter(|place| mask >> place & 1 != 0);
            bytes.extend(wanted.map(|place| ByteTouch {
                written_at: at(&writes, place),
                read_at: at(&reads, place),
            }));
        }
        Ok(bytes)
    }
}

/// Finds the nearest store after which a range of memory may differ from before. Left out are
/// stores that repeat the values of earlier accesses in their segment, so the first store to the
/// range in each segment is always included. If the host or executed code shows other contents of
/// the range, or several processes share the trace, all stores are included.
///
/// Cost: the lists of the range in the segments up to the answer; no text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NearestPossibleChange {
    /// Memory range.
    pub range: MemoryRange,
    /// Position of the query.
    pub at: Position,
    /// Backwards, steps before the position count; forwards, steps from it on.
    pub direction: Direction,
}

impl Query for NearestPossibleChange {
    /// Position after the store.
    type Answer = Option<Position>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Position>, QueryError> {
        SlotReader(index).check_position(self.at)?;
        let MemoryRange { address, len_bytes } = self.range;
        let Some(last) = last_of(address, len_bytes) else {
            return Ok(None);
        };
        let Some(slot) = self.direction.first_slot(self.at.0) else {
            return Ok(None);
        };
        let range = AddressRange {
            first: address.0,
            last,
        };
        let is_written_by_host = index.host_regions.next_of_range(0, range).is_some();
        let is_comparable = !is_written_by_host
            && !index.memories().are_several()
            && index.codes.around(range.first, range.last).is_empty();
        let wanted = match is_comparable {
            true => TouchFilter::Changes,
            false => TouchFilter::Writes,
        };
        let bound = SlotBound {
            slot,
            direction: self.direction,
        };
        let mut found = match self.direction {
            Direction::Back => index.host_regions.last_of_range(slot, range),
            Direction::Forward => index.host_regions.next_of_range(slot, range),
        }
        .map(|region| region.slot);
        ByteReader::new(index).for_each_touched(self.range, cancel, |granule, mask| {
            let touch = TouchReader::new(index).nearest_touch(granule, mask, bound, wanted)?;
            found = self.direction.nearer(found, touch.map(|touch| touch.slot));
            Ok(())
        })?;
        Ok(found.map(Position))
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::build_index::index_in_memory;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::build_index::BuildOptions;

    #[test]
    fn each_byte_knows_its_last_load_and_store() {
        let text =
            b"1 clk IT (1) 00008000 e5801000 A svc : STR r1,[r0]\n1 clk MW4 00001000 01020304\n\
            2 clk IT (2) 00008004 e5d02000 A svc : LDRB r2,[r0]\n2 clk MR1 00001000 04\n";
        let tarmac = Arc::new(Tarmac::open(Box::new(text.to_vec()), Default::default()).unwrap());
        let index = index_in_memory(tarmac, &BuildOptions::default()).unwrap();
        let touches = |position| {
            let query = TouchesAt {
                position: Position(position),
                address: Address(0x1000),
                len_bytes: 5,
            };
            let touches = query.run(&index, &Cancel::default()).unwrap();
            touches
                .iter()
                .map(|byte| [byte.written_at, byte.read_at].map(|at| at.map(|at| at.0)))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            touches(2),
            [
                [Some(1), Some(2)],
                [Some(1), None],
                [Some(1), None],
                [Some(1), None],
                [None, None]
            ]
        );
        assert_eq!(touches(0), [[None, None]; 5]);
    }
}
