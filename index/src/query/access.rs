//! Nearest accesses of a cell, before or after a position.

use stepback_parsers::Position;

use crate::answers::cell::{AccessKinds, Cell, Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::{AccessesAt, CellAccess, Hit};
use crate::index::Index;
use crate::query::access_search::{AccessQuery, AccessWindow, OwnerFilter};
use crate::query::physical::PhysicalAccessQuery;
use crate::query::question::{InMemory, Query};
use crate::read::recorded_accesses::check_records_accesses;
use crate::read::slots::SlotReader;

/// Finds the nearest access of a cell before or after a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NearestAccess {
    /// Register or memory range.
    pub cell: Cell,
    /// Kinds of access that count.
    pub kinds: AccessKinds,
    /// Position of the query.
    pub at: Position,
    /// Backwards, steps before the position count; forwards, steps from it on.
    pub direction: Direction,
}

impl NearestAccess {
    /// Finds the last access by steps before a position.
    pub fn last(cell: Cell, kinds: AccessKinds, before: Position) -> Self {
        Self {
            cell,
            kinds,
            at: before,
            direction: Direction::Back,
        }
    }

    /// Finds the first access by steps from a position on.
    pub fn next(cell: Cell, kinds: AccessKinds, from: Position) -> Self {
        Self {
            cell,
            kinds,
            at: from,
            direction: Direction::Forward,
        }
    }
}

impl NearestAccess {
    /// Finds the nearest access by a step; none where only an initial dump has one.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn hit(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        Ok(self.run(index, cancel)?.and_then(CellAccess::into_hit))
    }
}

impl Query for NearestAccess {
    type Answer = Option<CellAccess>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<CellAccess>, QueryError> {
        let nearest = Accesses {
            nearest: *self,
            thread: None,
            skip: 0,
            limit: 1,
        };
        let found = nearest.run(index, cancel)?;
        Ok(found.and_then(|found| found.accesses.into_iter().next()))
    }
}

/// Finds all accesses of a cell that first show at one position: the nearest one with any.
///
/// Between two steps several threads may each access the cell, and a step may do so more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Accesses {
    /// Cell, kinds, position and direction.
    pub nearest: NearestAccess,
    /// Thread that accesses memory; any thread without one. A register belongs to its thread.
    pub thread: Option<ThreadId>,
    /// Number of accesses passed over at the first position that has any: those that are known
    /// already.
    pub skip: usize,
    /// Maximum number of accesses in the answer.
    pub limit: usize,
}

impl Query for Accesses {
    type Answer = Option<AccessesAt>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<AccessesAt>, QueryError> {
        self.in_memory(index, self.thread, cancel)
    }
}

impl InMemory for Accesses {
    fn in_memory(
        &self,
        index: &Index,
        seen_by: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Option<AccessesAt>, QueryError> {
        let NearestAccess {
            cell,
            kinds,
            at,
            direction,
        } = self.nearest;
        SlotReader(index).check_position(at)?;
        let requested = AccessQuery {
            index,
            cell,
            homes: None,
            kinds,
            owners: match direction {
                Direction::Back => OwnerFilter::Any,
                Direction::Forward => OwnerFilter::Steps,
            },
            thread: self.thread,
            memory: SlotReader(index).memory_at(seen_by, at)?,
            within: None,
            cancel,
        };
        if let Some(physical) = PhysicalAccessQuery::of(&requested)? {
            return physical.nearest(self);
        }
        if let Some(decoded) = requested.decoded(at)? {
            let hit = decoded.nearest(at, direction, cancel)?;
            return Ok(hit.map(|hit| AccessesAt {
                position: hit.position,
                accesses: vec![CellAccess::Step(Box::new(hit))],
            }));
        }
        // Of a register with banks, the one in use at the position is meant.
        let requested = requested.in_state_at(at)?;
        let mut part = AccessWindow {
            skip: self.skip,
            limit: self.limit,
        };
        let mut next = direction.first_slot(at.0).filter(|_| self.limit > 0);
        while let Some(bound) = next
            && let Some(slot) = requested.nearest_slot(bound, direction)?
        {
            cancel.check()?;
            let done = requested.accesses_towards(slot, direction, &mut part)?;
            if !done.is_empty() {
                return Ok(Some(AccessesAt {
                    position: Position(slot),
                    accesses: requested.accessed(slot, &done, self.nearest)?,
                }));
            }
            next = direction.beyond(slot);
        }
        if cell.range().is_some() {
            check_records_accesses(index)?;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::build_index::index_in_memory;
    use std::sync::Arc;

    use stepback_machine::Address;
    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::build_index::BuildOptions;

    fn index_of(text: &str) -> Index {
        let tarmac = Tarmac::open(Box::new(text.as_bytes().to_vec()), Default::default()).unwrap();
        index_in_memory(
            Arc::new(tarmac),
            &BuildOptions {
                segment_bytes: 1,
                threads: 1,
            },
        )
        .unwrap()
    }

    #[track_caller]
    fn check(
        index: &Index,
        (address, len_bytes): (u64, u64),
        expected: (Option<u64>, Option<u64>),
    ) {
        let cell = Cell::Memory {
            address: Address(address),
            len_bytes,
        };
        let (kinds, cancel) = (AccessKinds::Writes, Cancel::default());
        let step = |query: NearestAccess| {
            let accessed = query.run(index, &cancel).unwrap();
            accessed
                .and_then(CellAccess::into_hit)
                .map(|hit| hit.record.step.0)
        };
        let last = step(NearestAccess::last(cell, kinds, index.end()));
        let next = step(NearestAccess::next(cell, kinds, Position(0)));
        assert_eq!(
            (last, next),
            expected,
            "{len_bytes} bytes from {address:#x}"
        );
    }

    #[test]
    fn a_range_may_be_as_long_as_the_address_space() {
        let step = |time: u64| format!("{time} clk IT ({time}) 00001000 e1a00000 A usr : NOP\n");
        let write = |time: u64, address: u64| format!("{time} clk MW4 {address:016x} 00000011\n");
        let far = u64::MAX - 3;
        let text = [
            step(1),
            write(1, far),
            step(2),
            write(2, 0x1003e),
            step(3),
            write(3, 0),
            step(4),
        ]
        .concat();
        let index = index_of(&text);
        check(&index, (0, u64::MAX), (Some(2), Some(0)));
        check(&index, (1, u64::MAX), (Some(2), Some(0)));
        check(&index, (4, u64::MAX), (Some(1), Some(0)));
        check(&index, (4, 1 << 40), (Some(1), Some(1)));
        check(&index, (0x10042, 1 << 62), (None, None));
        check(&index, (0x10041, 1 << 62), (Some(1), Some(1)));
        check(&index, (far, u64::MAX), (Some(0), Some(0)));
        check(&index, (0x10000, 4096), (Some(1), Some(1)));
        check(&index, (0x10000, 0), (None, None));
    }
}
