//! All accesses of a range of memory.

use std::collections::BTreeSet;

use stepback_parsers::Position;

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::asked::AccessWindow;
use crate::query::in_memory::InMemory;
use crate::query::question::Query;
use crate::read::contradictions::Contradictions;
use crate::read::hits::{FoundAccess, HitReader};
use crate::read::records::RecordReader;
use crate::read::slots::{SlotEventKind, SlotReader};
use crate::store::granules::{GRANULE_BITS, Granule, Touch, byte_mask, last_of};
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
        let segments = &index.contents.segments;
        let start = segments
            .partition_point(|segment| segment.step_base < first)
            .saturating_sub(1);
        for number in start..segments.len() {
            for slot in self.slots_in(index, number, first)? {
                cancel.check()?;
                if found.len() >= self.limit {
                    return HitReader(index).hits(found);
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
        HitReader(index).hits(found)
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
                let access = RecordReader(index).access_of(&event, &contradictions);
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
        let from = u32::try_from(first.saturating_sub(base)).unwrap_or(u32::MAX);
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
