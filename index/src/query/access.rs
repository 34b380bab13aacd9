//! The last and next accesses of a cell.

use stepback_parsers::{Line, Position, Step};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::accesses_at::{Accessed, AccessesAt};
use crate::answers::cancel::Cancel;
use crate::answers::cell::Cell;
use crate::answers::error::QueryError;
use crate::answers::hit::Hit;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::asked::{Asked, Owners, Part};
use crate::query::in_memory::InMemory;
use crate::query::physical::PhysicalAsked;
use crate::query::question::Query;
use crate::read::slots::SlotReader;

/// The last access of a cell by steps before a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastAccess {
    /// Of what.
    pub cell: Cell,
    /// Which accesses.
    pub kinds: AccessKinds,
    /// Before where.
    pub before: Position,
}

/// What [`LastAccess`] answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastAccessAnswer {
    /// A step did it.
    Step(Box<Hit>),
    /// What the trace states before its first step (an initial dump): no step, but a line.
    Initial(Line),
    /// Nobody.
    Never,
}

/// The last accesses of a cell that show at a position: all those that show first at the same one.
///
/// Between two steps several threads may each have accessed the cell, and a step may do so more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastAccesses {
    /// Of what.
    pub cell: Cell,
    /// Which accesses.
    pub kinds: AccessKinds,
    /// Whose accesses of memory; without it, those of all threads. A register is its own thread's.
    pub thread: Option<ThreadId>,
    /// Before where.
    pub before: Position,
    /// So many of the first position that has some are passed over: those that are known already.
    pub skip: usize,
    /// At most this many.
    pub limit: usize,
}

/// The first access of a cell by steps from a position on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextAccess {
    /// Of what.
    pub cell: Cell,
    /// Which accesses.
    pub kinds: AccessKinds,
    /// From where.
    pub from: Position,
}

/// The first accesses of a cell by steps from a position on: all those that show first at the same position, in trace order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextAccesses {
    /// Of what.
    pub cell: Cell,
    /// Which accesses.
    pub kinds: AccessKinds,
    /// Whose accesses of memory; without it, those of all threads. A register is its own thread's.
    pub thread: Option<ThreadId>,
    /// From where.
    pub from: Position,
    /// So many of the first position that has some are passed over: those that are known already.
    pub skip: usize,
    /// At most this many.
    pub limit: usize,
}

/// Whether a step accessed a cell: if so, repeating a question about the cell from there means to look before that step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IsAccessedBy {
    /// Which step.
    pub step: Step,
    /// Of what.
    pub cell: Cell,
    /// Which accesses.
    pub kinds: AccessKinds,
}

impl Query for LastAccess {
    type Answer = LastAccessAnswer;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<LastAccessAnswer, QueryError> {
        let Self {
            cell,
            kinds,
            before,
        } = *self;
        let last = LastAccesses {
            cell,
            kinds,
            thread: None,
            before,
            skip: 0,
            limit: 1,
        }
        .run(index, cancel)?;
        Ok(
            match last.and_then(|last| last.accesses.into_iter().next()) {
                Some(Accessed::Step(hit)) => LastAccessAnswer::Step(hit),
                Some(Accessed::Initial(line)) => LastAccessAnswer::Initial(line),
                None => LastAccessAnswer::Never,
            },
        )
    }
}

impl Query for LastAccesses {
    type Answer = Option<AccessesAt>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<AccessesAt>, QueryError> {
        self.in_memory(index, self.thread, cancel)
    }
}

impl InMemory for LastAccesses {
    fn in_memory(
        &self,
        index: &Index,
        seen_by: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Option<AccessesAt>, QueryError> {
        SlotReader(index).check_position(self.before)?;
        let (cell, kinds, thread, skip) = (self.cell, self.kinds, self.thread, self.skip);
        let memory = SlotReader(index).memory_at(seen_by, self.before)?;
        let asked = Asked {
            index,
            cell,
            homes: None,
            kinds,
            owners: Owners::Any,
            thread,
            memory,
            within: None,
            cancel,
        };
        if let Some(physical) = PhysicalAsked::of(&asked)? {
            return physical.last(self);
        }
        if let Some(decoded) = asked.decoded(self.before)? {
            let last = decoded.last(self.before, cancel)?;
            return Ok(last.map(|hit| AccessesAt {
                position: hit.position,
                accesses: vec![Accessed::Step(Box::new(hit))],
            }));
        }
        // Where the register has banks, the one in use at the position is meant.
        let asked = asked.in_state_at(self.before)?;
        let mut part = Part {
            skip,
            limit: self.limit,
        };
        let mut last = Some(self.before.0).filter(|_| self.limit > 0);
        while let Some(slot) = last
            .map(|last| asked.last_slot(last))
            .transpose()?
            .flatten()
        {
            cancel.check()?;
            let done = asked.done_backwards_in(slot, &mut part)?;
            if !done.is_empty() {
                let accesses = asked.accessed(slot, &done, self.before)?;
                return Ok(Some(AccessesAt {
                    position: Position(slot),
                    accesses,
                }));
            }
            last = slot.checked_sub(1);
        }
        Ok(None)
    }
}

impl Query for NextAccess {
    type Answer = Option<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let Self { cell, kinds, from } = *self;
        let next = NextAccesses {
            cell,
            kinds,
            thread: None,
            from,
            skip: 0,
            limit: 1,
        }
        .run(index, cancel)?;
        Ok(next.into_iter().next())
    }
}

impl Query for NextAccesses {
    type Answer = Vec<Hit>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Hit>, QueryError> {
        self.in_memory(index, self.thread, cancel)
    }
}

impl InMemory for NextAccesses {
    fn in_memory(
        &self,
        index: &Index,
        seen_by: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError> {
        SlotReader(index).check_position(self.from)?;
        let (cell, kinds, thread, skip) = (self.cell, self.kinds, self.thread, self.skip);
        let memory = SlotReader(index).memory_at(seen_by, self.from)?;
        let asked = Asked {
            index,
            cell,
            homes: None,
            kinds,
            owners: Owners::Steps,
            thread,
            memory,
            within: None,
            cancel,
        };
        if let Some(physical) = PhysicalAsked::of(&asked)? {
            return physical.next(self);
        }
        if let Some(decoded) = asked.decoded(self.from)? {
            return Ok(decoded.next(self.from, cancel)?.into_iter().collect());
        }
        let asked = asked.in_state_at(self.from)?;
        let mut part = Part {
            skip,
            limit: self.limit,
        };
        let mut first = self.from.0.saturating_add(1);
        while self.limit > 0
            && let Some(slot) = asked.next_slot(first)?
        {
            cancel.check()?;
            let done = asked.done_in(slot, &mut part)?;
            if !done.is_empty() {
                return asked.hits(done.iter());
            }
            first = slot.saturating_add(1);
        }
        Ok(Vec::new())
    }
}

impl Query for IsAccessedBy {
    type Answer = bool;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<bool, QueryError> {
        let slot = self.step.after().0;
        let asked = Asked {
            index,
            cell: self.cell,
            homes: None,
            kinds: self.kinds,
            owners: Owners::Steps,
            thread: None,
            memory: None,
            within: None,
            cancel,
        };
        if let Some(physical) = PhysicalAsked::of(&asked)? {
            return physical.is_done_by(self.step, slot);
        }
        if let Some(decoded) = asked.decoded(Position(slot))? {
            return decoded.is_used_in(slot, cancel);
        }
        asked
            .in_state_at(Position(slot))?
            .is_done_by(self.step, slot)
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::in_memory::index_in_memory;
    use std::sync::Arc;

    use stepback_machine::Address;
    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::options::BuildOptions;

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
        let last = match (LastAccess {
            cell,
            kinds,
            before: index.end(),
        })
        .run(index, &cancel)
        .unwrap()
        {
            LastAccessAnswer::Step(hit) => Some(hit.record.step.0),
            LastAccessAnswer::Initial(_) | LastAccessAnswer::Never => None,
        };
        let next = NextAccess {
            cell,
            kinds,
            from: Position(0),
        }
        .run(index, &cancel)
        .unwrap();
        assert_eq!(
            (last, next.map(|hit| hit.record.step.0)),
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
