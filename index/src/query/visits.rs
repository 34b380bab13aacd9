//! When an address was executed.

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::key_maps::KeyMapReader;
use crate::read::own_steps::OwnSteps;
use crate::read::slots::SlotReader;
use crate::read::visits::VisitReader;
use crate::store::key_map::Key;
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

/// The same by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextVisitBy {
    /// Whose steps; without it, those of all threads.
    pub thread: Option<ThreadId>,
    /// Where, and from where.
    pub visit: NextVisit,
}

/// The last step at an address before a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastVisit {
    /// The address, without a Thumb bit.
    pub pc: Address,
    /// Before where.
    pub before: Position,
}

/// The same by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastVisitBy {
    /// Whose steps; without it, those of all threads.
    pub thread: Option<ThreadId>,
    /// Where, and before where.
    pub visit: LastVisit,
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
    /// At most this many.
    pub limit: usize,
}

impl Query for VisitsFrom {
    type Answer = Vec<Step>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Step>, QueryError> {
        SlotReader(index).check_position(self.from)?;
        let first = self.from.0.saturating_add(1);
        let segments = &index.contents.segments;
        let start = segments
            .partition_point(|segment| segment.step_base < first)
            .saturating_sub(1);
        let mut found = Vec::new();
        for number in
            KeyMapReader(index).segments_with(Key::Pc(self.pc.0), start..segments.len())?
        {
            cancel.check()?;
            let Some((base, visits)) = VisitReader(index).visits_in(number, self.pc)? else {
                continue;
            };
            let from = u32::try_from(first.saturating_sub(base)).unwrap_or(u32::MAX);
            let place = visits
                .count_below(from)
                .map_err(|_| damaged(Section::Pcs))?;
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

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        NextVisitBy {
            thread: None,
            visit: *self,
        }
        .run(index, cancel)
    }
}

impl Query for NextVisitBy {
    type Answer = Option<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let NextVisit { pc, from } = self.visit;
        SlotReader(index).check_position(from)?;
        let first = from.0.saturating_add(1);
        let segments = &index.contents.segments;
        let start = segments
            .partition_point(|segment| segment.step_base < first)
            .saturating_sub(1);
        for number in KeyMapReader(index).segments_with(Key::Pc(pc.0), start..segments.len())? {
            cancel.check()?;
            let Some((base, visits)) = VisitReader(index).visits_in(number, pc)? else {
                continue;
            };
            let first = u32::try_from(first.saturating_sub(base)).unwrap_or(u32::MAX);
            let own = OwnSteps {
                segment: index.segment(number),
                thread: self.thread,
            };
            if let Some(place) = own.first_visit(&visits, first)? {
                return VisitReader(index).visit(base, &visits, place).map(Some);
            }
        }
        Ok(None)
    }
}

impl Query for LastVisit {
    type Answer = Option<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        LastVisitBy {
            thread: None,
            visit: *self,
        }
        .run(index, cancel)
    }
}

impl Query for LastVisitBy {
    type Answer = Option<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let LastVisit { pc, before } = self.visit;
        SlotReader(index).check_position(before)?;
        let segments = &index.contents.segments;
        let after = segments.partition_point(|segment| segment.step_base < before.0);
        for number in KeyMapReader(index)
            .segments_with(Key::Pc(pc.0), 0..after)?
            .into_iter()
            .rev()
        {
            cancel.check()?;
            let Some((base, visits)) = VisitReader(index).visits_in(number, pc)? else {
                continue;
            };
            let below = u32::try_from((before.0 + 1).saturating_sub(base)).unwrap_or(u32::MAX);
            let own = OwnSteps {
                segment: index.segment(number),
                thread: self.thread,
            };
            if let Some(place) = own.last_visit(&visits, below)? {
                return VisitReader(index).visit(base, &visits, place).map(Some);
            }
        }
        Ok(None)
    }
}

impl Query for NthVisit {
    type Answer = Option<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let Some(mut left) = self.number.checked_sub(1) else {
            return Ok(None);
        };
        for number in KeyMapReader(index)
            .segments_with(Key::Pc(self.pc.0), 0..index.contents.segments.len())?
        {
            cancel.check()?;
            let Some((base, visits)) = VisitReader(index).visits_in(number, self.pc)? else {
                continue;
            };
            match usize::try_from(left)
                .ok()
                .filter(|place| *place < visits.len())
            {
                Some(place) => return VisitReader(index).visit(base, &visits, place).map(Some),
                None => left -= visits.len() as u64,
            }
        }
        Ok(None)
    }
}
