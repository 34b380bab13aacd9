//! When an address was executed.

use stepback_machine::Address;
use stepback_parsers::{Position, Source, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::index::{Index, Key, Query};
use crate::store::packed::FRAME;
use crate::store::pcs::Visits;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// The first step at an address from a position on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextVisit {
    /// The address, without a Thumb bit.
    pub pc: Address,
    /// From where.
    pub from: Position,
}

/// The last step at an address before a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastVisit {
    /// The address, without a Thumb bit.
    pub pc: Address,
    /// Before where.
    pub before: Position,
}

/// The K-th step at an address, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NthVisit {
    /// The address, without a Thumb bit.
    pub pc: Address,
    /// Which, from 1.
    pub number: u64,
}

/// The steps at an address from a position on, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VisitsFrom {
    /// The address, without a Thumb bit.
    pub pc: Address,
    /// From where.
    pub from: Position,
    /// At most so many.
    pub limit: usize,
}

impl Query for VisitsFrom {
    type Answer = Vec<Step>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<Step>, QueryError> {
        index.check_position(self.from)?;
        let first = self.from.0.saturating_add(1);
        let segments = &index.contents.segments;
        let start = segments.partition_point(|segment| segment.step_base < first).saturating_sub(1);
        let mut found = Vec::new();
        for number in index.segments_with(Key::Pc(self.pc.0), start..segments.len())? {
            cancel.check()?;
            let Some((base, visits)) = index.visits_in(number, self.pc)? else { continue };
            let from = u32::try_from(first.saturating_sub(base)).unwrap_or(u32::MAX);
            let place = visits.count_below(from).map_err(|_| damaged(Section::Pcs))?;
            for place in place..visits.len() {
                if found.len() >= self.limit {
                    return Ok(found);
                }
                let slot = base + u64::from(visits.get(place).map_err(|_| damaged(Section::Pcs))?);
                found.push(Step(slot.saturating_sub(1)));
            }
        }
        Ok(found)
    }
}

impl Query for NextVisit {
    type Answer = Option<Hit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        index.check_position(self.from)?;
        let first = self.from.0.saturating_add(1);
        let segments = &index.contents.segments;
        let start = segments.partition_point(|segment| segment.step_base < first).saturating_sub(1);
        for number in index.segments_with(Key::Pc(self.pc.0), start..segments.len())? {
            cancel.check()?;
            let Some((base, visits)) = index.visits_in(number, self.pc)? else { continue };
            let from = u32::try_from(first.saturating_sub(base)).unwrap_or(u32::MAX);
            let place = visits.count_below(from).map_err(|_| damaged(Section::Pcs))?;
            if place < visits.len() {
                return index.visit(base, &visits, place).map(Some);
            }
        }
        Ok(None)
    }
}

impl Query for LastVisit {
    type Answer = Option<Hit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        index.check_position(self.before)?;
        let segments = &index.contents.segments;
        let after = segments.partition_point(|segment| segment.step_base < self.before.0);
        for number in index.segments_with(Key::Pc(self.pc.0), 0..after)?.into_iter().rev() {
            cancel.check()?;
            let Some((base, visits)) = index.visits_in(number, self.pc)? else { continue };
            let below = u32::try_from((self.before.0 + 1).saturating_sub(base)).unwrap_or(u32::MAX);
            let count = visits.count_below(below).map_err(|_| damaged(Section::Pcs))?;
            if let Some(place) = count.checked_sub(1) {
                return index.visit(base, &visits, place).map(Some);
            }
        }
        Ok(None)
    }
}

impl Query for NthVisit {
    type Answer = Option<Hit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let Some(mut left) = self.number.checked_sub(1) else { return Ok(None) };
        for number in index.segments_with(Key::Pc(self.pc.0), 0..index.contents.segments.len())? {
            cancel.check()?;
            let Some((base, visits)) = index.visits_in(number, self.pc)? else { continue };
            match usize::try_from(left).ok().filter(|place| *place < visits.len()) {
                Some(place) => return index.visit(base, &visits, place).map(Some),
                None => left -= visits.len() as u64,
            }
        }
        Ok(None)
    }
}

impl<S: Source> Index<S> {
    fn visits_in(&self, number: usize, pc: Address) -> Result<Option<(u64, Visits<'_>)>, QueryError> {
        let Some(segment) = self.segment(number) else { return Ok(None) };
        Ok(segment.visits(pc.0)?.map(|visits| (segment.meta.step_base, visits)))
    }

    fn visit(&self, base: u64, visits: &Visits<'_>, place: usize) -> Result<Hit, QueryError> {
        let slot = base + u64::from(visits.get(place).map_err(|_| damaged(Section::Pcs))?);
        self.hit(Step(slot.saturating_sub(1)), Position(slot), None)
    }

    /// Tells the steps at an address, in order.
    pub(crate) fn for_each_visit(
        &self,
        pc: Address,
        cancel: &Cancel,
        mut tell: impl FnMut(Step) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        for number in self.segments_with(Key::Pc(pc.0), 0..self.contents.segments.len())? {
            let Some((base, visits)) = self.visits_in(number, pc)? else { continue };
            for block in 0..visits.len().div_ceil(FRAME) {
                cancel.check()?;
                for slot in visits.block(block).map_err(|_| damaged(Section::Pcs))? {
                    tell(Step((base + u64::from(slot)).saturating_sub(1)))?;
                }
            }
        }
        Ok(())
    }

    /// Whether a step is at an address.
    pub(crate) fn is_visit(&self, pc: Address, step: Step) -> Result<bool, QueryError> {
        let slot = step.after().0;
        let after = self.contents.segments.partition_point(|segment| segment.step_base < slot);
        let Some((base, visits)) = self.visits_in(after.saturating_sub(1), pc)? else { return Ok(false) };
        let Ok(local) = u32::try_from(slot.saturating_sub(base)) else { return Ok(false) };
        let malformed = |_| damaged(Section::Pcs);
        let place = visits.count_below(local).map_err(malformed)?;
        Ok(place < visits.len() && visits.get(place).map_err(malformed)? == local)
    }

    /// How often an address was executed.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn visit_count(&self, pc: Address) -> Result<u64, QueryError> {
        let mut count = 0;
        for number in self.segments_with(Key::Pc(pc.0), 0..self.contents.segments.len())? {
            count += self.visits_in(number, pc)?.map_or(0, |(_, visits)| visits.len() as u64);
        }
        Ok(count)
    }
}
