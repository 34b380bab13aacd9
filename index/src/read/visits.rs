//! Steps at an address.

use std::ops::Range;

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Hit;
use crate::index::Index;
use crate::read::key_maps;
use crate::read::records;
use crate::read::thread_steps::nearest_visit;
use crate::store::key_map::SegmentKey;
use crate::store::packed::FRAME;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;
use crate::store::visits::SegmentVisits;

/// Finds the steps at an address.
pub struct VisitReader<'a>(pub &'a Index);

impl<'a> VisitReader<'a> {
    /// Returns the visits in a segment, and the number of steps before it.
    pub(crate) fn visits_in(
        &self,
        number: usize,
        pc: Address,
    ) -> Result<Option<(u64, SegmentVisits<'a>)>, QueryError> {
        let Some(segment) = self.0.segment(number) else {
            return Ok(None);
        };
        Ok(segment
            .visits(pc.0)?
            .map(|visits| (segment.meta.step_base, visits)))
    }

    /// Returns a visit of a segment as the hit of a query.
    pub(crate) fn visit(
        &self,
        base: u64,
        visits: &SegmentVisits<'_>,
        place: usize,
    ) -> Result<Hit, QueryError> {
        let slot = base + u64::from(visits.get(place).map_err(|_| damaged(Section::Pcs))?);
        records::hit(self.0, Step(slot.saturating_sub(1)), Position(slot))
    }

    /// Calls `tell` for the steps at an address, in order.
    pub(crate) fn for_each_visit(
        &self,
        pc: Address,
        cancel: &Cancel,
        mut tell: impl FnMut(Step) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        for number in key_maps::segments_with(
            self.0,
            SegmentKey::Pc(pc.0),
            0..self.0.contents.segments.len(),
        )? {
            let Some((base, visits)) = self.visits_in(number, pc)? else {
                continue;
            };
            for block in 0..visits.len().div_ceil(FRAME) {
                cancel.check()?;
                for slot in visits.block(block).map_err(|_| damaged(Section::Pcs))? {
                    tell(Step((base + u64::from(slot)).saturating_sub(1)))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the last steps of some slots that are at an address, latest first, at most `limit`.
    pub(crate) fn visits_between(
        &self,
        pc: Address,
        slots: Range<u64>,
        limit: usize,
    ) -> Result<Vec<Step>, QueryError> {
        let malformed = |_| damaged(Section::Pcs);
        let mut found = Vec::new();
        let range = self.0.segments_with(slots.clone());
        for number in key_maps::segments_with(self.0, SegmentKey::Pc(pc.0), range)?
            .into_iter()
            .rev()
        {
            let Some((base, visits)) = self.visits_in(number, pc)? else {
                continue;
            };
            let below = u32::try_from(slots.end.saturating_sub(base)).unwrap_or(u32::MAX);
            for place in (0..visits.count_below(below).map_err(malformed)?).rev() {
                let slot = base.saturating_add(u64::from(visits.get(place).map_err(malformed)?));
                if found.len() == limit || slot < slots.start {
                    return Ok(found);
                }
                found.push(Step(slot.saturating_sub(1)));
            }
        }
        Ok(found)
    }

    /// Returns the nearest step at an address from a slot on, in a direction; of a thread if given.
    pub(crate) fn nearest(
        &self,
        pc: Address,
        thread: Option<ThreadId>,
        bound: u64,
        direction: Direction,
    ) -> Result<Option<Step>, QueryError> {
        let range = self.0.segments_with(direction.slots_from(bound));
        let numbers = key_maps::segments_with(self.0, SegmentKey::Pc(pc.0), range)?;
        let mut numbers = numbers.into_iter();
        while let Some(number) = direction.take(&mut numbers) {
            let Some(segment) = self.0.segment(number) else {
                continue;
            };
            let Some(visits) = segment.visits(pc.0)? else {
                continue;
            };
            let local = segment.local_slot(bound);
            if let Some(place) = nearest_visit(&segment, &visits, thread, local, direction)? {
                let slot = visits.get(place).map_err(|_| damaged(Section::Pcs))?;
                return Ok(Some(Step(segment.trace_slot(slot).saturating_sub(1))));
            }
        }
        Ok(None)
    }

    /// Returns true if a step is at an address.
    pub(crate) fn is_visit(&self, pc: Address, step: Step) -> Result<bool, QueryError> {
        let slot = step.after().0;
        let after = self
            .0
            .contents
            .segments
            .partition_point(|segment| segment.step_base < slot);
        let Some((base, visits)) = self.visits_in(after.saturating_sub(1), pc)? else {
            return Ok(false);
        };
        let Ok(local) = u32::try_from(slot.saturating_sub(base)) else {
            return Ok(false);
        };
        let malformed = |_| damaged(Section::Pcs);
        let place = visits.count_below(local).map_err(malformed)?;
        Ok(place < visits.len() && visits.get(place).map_err(malformed)? == local)
    }

    /// Returns the first step at an address.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn first_visit(&self, pc: Address) -> Result<Option<Step>, QueryError> {
        self.nearest(pc, None, 0, Direction::Forward)
    }

    /// Returns true if a step before another one is at an address from `first` to `last`, inclusive.
    /// Cost: the executed addresses of the range in each segment before it, up to the first hit.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn is_any_visited(
        &self,
        first: Address,
        last: Address,
        before: Step,
    ) -> Result<bool, QueryError> {
        let end = before.after().0;
        for number in self.0.segments_with(0..end) {
            let Some(segment) = self.0.segment(number) else {
                continue;
            };
            let below = u32::try_from(end.saturating_sub(segment.meta.step_base));
            let below = below.unwrap_or(u32::MAX);
            let mut counted = Ok(0);
            let is_unvisited = |pc: u64, visits: SegmentVisits<'_>| {
                if pc <= last.0 {
                    counted = visits.count_below(below);
                }
                pc <= last.0 && counted == Ok(0)
            };
            let walked = segment.pcs()?.for_each_from(first.0, is_unvisited);
            let count = walked.and(counted).map_err(|_| damaged(Section::Pcs))?;
            if count > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the number of executions of an address.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn visit_count(&self, pc: Address) -> Result<u64, QueryError> {
        let mut count = 0;
        for number in key_maps::segments_with(
            self.0,
            SegmentKey::Pc(pc.0),
            0..self.0.contents.segments.len(),
        )? {
            count += self
                .visits_in(number, pc)?
                .map_or(0, |(_, visits)| visits.len() as u64);
        }
        Ok(count)
    }

    /// Returns the number of executions of an address before a position. Cost: one lookup in each
    /// segment before it.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn visit_count_before(&self, pc: Address, before: Position) -> Result<u64, QueryError> {
        let end = before.0.saturating_add(1);
        let segments = self.0.segments_with(0..end);
        let mut count = 0;
        for number in key_maps::segments_with(self.0, SegmentKey::Pc(pc.0), segments)? {
            let Some((base, visits)) = self.visits_in(number, pc)? else {
                continue;
            };
            let local = u32::try_from(end.saturating_sub(base)).unwrap_or(u32::MAX);
            let below = visits.count_below(local);
            count += below.map_err(|_| damaged(Section::Pcs))? as u64;
        }
        Ok(count)
    }
}
