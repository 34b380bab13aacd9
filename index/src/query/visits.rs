//! Executions of an address.

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Hit;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::key_maps;
use crate::read::records;
use crate::read::slots::SlotReader;
use crate::read::visits::VisitReader;
use crate::store::key_map::SegmentKey;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Finds the nearest step at an address before or after a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NearestVisit {
    /// Address, without a Thumb bit.
    pub pc: Address,
    /// Thread of the step; any thread without one.
    pub thread: Option<ThreadId>,
    /// Position of the query.
    pub at: Position,
    /// Backwards, steps before the position count; forwards, steps from it on.
    pub direction: Direction,
}

impl NearestVisit {
    /// Finds the last step of any thread at an address before a position.
    pub fn last(pc: Address, before: Position) -> Self {
        Self {
            pc,
            thread: None,
            at: before,
            direction: Direction::Back,
        }
    }

    /// Finds the first step of any thread at an address from a position on.
    pub fn next(pc: Address, from: Position) -> Self {
        Self {
            pc,
            thread: None,
            at: from,
            direction: Direction::Forward,
        }
    }
}

/// Finds the K-th step at an address, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NthVisit {
    /// Address, without a Thumb bit.
    pub pc: Address,
    /// Number of the step, from 1.
    pub number: u64,
}

/// Finds the steps at an address from a position on, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VisitsFrom {
    /// Address, without a Thumb bit.
    pub pc: Address,
    /// First position.
    pub from: Position,
    /// Maximum number of steps in the answer.
    pub limit: usize,
}

impl Query for VisitsFrom {
    type Answer = Vec<Step>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Step>, QueryError> {
        SlotReader(index).check_position(self.from)?;
        let first = self.from.0.saturating_add(1);
        let mut found = Vec::new();
        let segments = index.segments_with(first..u64::MAX);
        for number in key_maps::segments_with(index, SegmentKey::Pc(self.pc.0), segments)? {
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

impl Query for NearestVisit {
    type Answer = Option<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        SlotReader(index).check_position(self.at)?;
        let Some(bound) = self.direction.first_slot(self.at.0) else {
            return Ok(None);
        };
        cancel.check()?;
        let nearest = VisitReader(index).nearest(self.pc, self.thread, bound, self.direction)?;
        let hit = nearest.map(|step| records::hit(index, step, step.after()));
        hit.transpose()
    }
}

impl Query for NthVisit {
    type Answer = Option<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let Some(mut left) = self.number.checked_sub(1) else {
            return Ok(None);
        };
        for number in key_maps::segments_with(
            index,
            SegmentKey::Pc(self.pc.0),
            0..index.contents.segments.len(),
        )? {
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
