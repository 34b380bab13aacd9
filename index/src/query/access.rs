//! Who touched a cell last, who does next.

use stepback_machine::{Address, RegisterView};
use stepback_parsers::{Line, Position, Source, Step};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::cell::Cell;
use crate::answers::error::QueryError;
use crate::answers::hit::{Doubt, Hit};
use crate::answers::step_record::Effect;
use crate::answers::thread::ThreadId;
use crate::index::{Index, Query};
use crate::inference::access_values::fill_accesses;
use crate::query::steps::Steps;
use crate::read::operands::{OperandUse, kind_of_use};
use crate::read::slots::{EventKind, SlotEvent};
use crate::store::granules::last_of;
use crate::store::regions::ranges::AddressRange;
use crate::store::regions::regions::HostRegion;

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

impl Query for LastAccess {
    type Answer = LastAccessAnswer;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<LastAccessAnswer, QueryError> {
        index.check_position(self.before)?;
        if let Some((thread, view)) = index.operand_cell(self.cell)? {
            let last = index.last_uses(thread, &[view], self.kinds, self.before.0, cancel)?.pop().flatten();
            let Some(last) = last else { return Ok(LastAccessAnswer::Never) };
            let mut hit = index.operand_hit((thread, view), self.kinds, last)?;
            if hit.doubt.is_none() && self.kinds != AccessKinds::Reads {
                hit.doubt = index.restored((thread, last.slot), self.before, cancel)?;
            }
            return Ok(LastAccessAnswer::Step(Box::new(index.in_doubt(hit, self.before, cancel)?)));
        }
        let cell = index.home_of(self.cell, self.before)?;
        let slot = match cell {
            Cell::Register { thread, view } => {
                index.check_recorded(self.kinds)?;
                index.last_register_slot(thread, view, self.before.0)?
            }
            Cell::Memory { address, len_bytes } => {
                index.last_memory_slot((address, len_bytes), self.kinds, self.before.0, cancel)?
            }
        };
        let region = index.last_host_region(self.cell, self.kinds, self.before.0);
        // In the slot of a call, what the trace shows comes after what the host wrote.
        if let Some(region) = region.filter(|region| slot.is_none_or(|slot| slot < region.slot)) {
            return Ok(LastAccessAnswer::Step(Box::new(index.host_hit(region)?)));
        }
        let Some(slot) = slot else { return Ok(LastAccessAnswer::Never) };
        let mut events = index.events(slot..slot + 1)?;
        events.reverse();
        let event = index.first_of_cell(&events, slot, cell, self.kinds).ok_or(QueryError::TraceChanged)?;
        match index.owner(event.thread, slot)? {
            Some(step) => {
                let mut hit = index.hit(step, Position(slot), index.access_of(event)?)?;
                infer_value(index, &mut hit, cancel)?;
                // Only traces with markers show system calls.
                if self.kinds == AccessKinds::Writes && matches!(cell, Cell::Memory { .. }) {
                    hit.doubt = index.overtaken((event.thread, slot), self.before, cancel)?;
                }
                Ok(LastAccessAnswer::Step(Box::new(hit)))
            }
            None => Ok(LastAccessAnswer::Initial(index.line_of(event, cancel)?)),
        }
    }
}

impl Query for NextAccess {
    type Answer = Option<Hit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        index.check_position(self.from)?;
        if let Some((thread, view)) = index.operand_cell(self.cell)? {
            let next = index.next_use(thread, view, self.kinds, self.from.0.saturating_add(1), cancel)?;
            let Some(next) = next else { return Ok(None) };
            let hit = index.operand_hit((thread, view), self.kinds, next)?;
            return Ok(Some(index.in_doubt(hit, self.from, cancel)?));
        }
        let mut from = self.from.0;
        loop {
            cancel.check()?;
            let first = from.saturating_add(1);
            let slot = match self.cell {
                Cell::Register { thread, view } => {
                    index.check_recorded(self.kinds)?;
                    index.next_register_slot(thread, view, first)?
                }
                Cell::Memory { address, len_bytes } => {
                    index.next_memory_slot((address, len_bytes), self.kinds, first, cancel)?
                }
            };
            let region = index.next_host_region(self.cell, self.kinds, first);
            if let Some(region) = region.filter(|region| slot.is_none_or(|slot| region.slot <= slot)) {
                return Ok(Some(index.host_hit(region)?));
            }
            let Some(slot) = slot else { return Ok(None) };
            for event in index.events(slot..slot + 1)? {
                let is_meant = index.first_of_cell(std::slice::from_ref(&event), slot, self.cell, self.kinds).is_some();
                if is_meant && let Some(step) = index.owner(event.thread, slot)? {
                    let mut hit = index.hit(step, Position(slot), index.access_of(&event)?)?;
                    infer_value(index, &mut hit, cancel)?;
                    return Ok(Some(hit));
                }
            }
            // A dump of a thread before its first step, after the first of another: no step did it.
            from = slot;
        }
    }
}

/// Fills in the values of a hit's accesses that follow from what steps did.
fn infer_value<S: Source>(index: &Index<S>, hit: &mut Hit, cancel: &Cancel) -> Result<(), QueryError> {
    fill_accesses(index, std::slice::from_mut(&mut hit.record), cancel)?;
    let Some(access) = &mut hit.access else { return Ok(()) };
    let same = hit.record.effects.iter().find_map(|effect| match effect {
        Effect::Access(known) if (known.kind, &known.target) == (access.kind, &access.target) => Some(known),
        _ => None,
    });
    if let Some(same) = same.filter(|same| same.is_inferred) {
        *access = same.clone();
    }
    Ok(())
}

impl<S: Source> Index<S> {
    /// The register that a cell is, where the operands of instructions tell of it.
    fn operand_cell(&self, cell: Cell) -> Result<Option<(ThreadId, RegisterView)>, QueryError> {
        match cell {
            Cell::Register { thread, view } if self.has_operands_alone() => {
                self.check_operands(thread)?;
                Ok(Some((thread, view)))
            }
            _ => Ok(None),
        }
    }

    fn operand_hit(
        &self,
        (thread, view): (ThreadId, RegisterView),
        kinds: AccessKinds,
        found: OperandUse,
    ) -> Result<Hit, QueryError> {
        let position = Position(found.slot);
        let step = position.last_step().ok_or(QueryError::TraceChanged)?;
        let hit = self.hit(step, position, None)?;
        let kind = kind_of_use(&hit.record, view, kinds);
        Ok(Hit { doubt: found.doubt, access: Some(self.operand_access(view, thread, kind)), ..hit })
    }

    /// A use of a register; where steps may be missing, it may not be the nearest.
    fn in_doubt(&self, hit: Hit, at: Position, cancel: &Cancel) -> Result<Hit, QueryError> {
        let is_filtered = hit.doubt.is_none() && self.is_filtered(at, cancel)?;
        Ok(Hit { doubt: hit.doubt.or(is_filtered.then_some(Doubt::Filtered)), ..hit })
    }

    fn check_recorded(&self, kinds: AccessKinds) -> Result<(), QueryError> {
        if kinds != AccessKinds::Reads {
            return Ok(());
        }
        let format = self.contents.traits.format.clone();
        Err(QueryError::NotRecorded { format, what: "reads of registers" })
    }

    fn last_register_slot(&self, thread: ThreadId, view: RegisterView, last: u64) -> Result<Option<u64>, QueryError> {
        let mut found = None;
        for known in self.overlapping(thread, view) {
            found = found.max(self.last_write_slot(known, last)?);
        }
        Ok(found)
    }

    fn next_register_slot(&self, thread: ThreadId, view: RegisterView, first: u64) -> Result<Option<u64>, QueryError> {
        let mut found: Option<u64> = None;
        for known in self.overlapping(thread, view) {
            let next = self.next_write_slot(known, first)?;
            found = found.into_iter().chain(next).min();
        }
        Ok(found)
    }

    fn last_memory_slot(
        &self,
        range: (Address, u64),
        kinds: AccessKinds,
        last: u64,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let mut found = None;
        self.for_each_touched(range, cancel, |granule, mask| {
            let touches = self.last_touches(granule, mask, last, kinds.into())?;
            found = found.max(touches.iter().flatten().map(|touch| touch.slot).max());
            Ok(())
        })?;
        Ok(found)
    }

    fn next_memory_slot(
        &self,
        range: (Address, u64),
        kinds: AccessKinds,
        first: u64,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let mut found: Option<u64> = None;
        self.for_each_touched(range, cancel, |granule, mask| {
            let touches = self.next_touches(granule, mask, first, kinds.into())?;
            found = found.into_iter().chain(touches.iter().flatten().map(|touch| touch.slot)).min();
            Ok(())
        })?;
        Ok(found)
    }

    /// The last memory of a cell that the host wrote in the slots up to one.
    fn last_host_region(&self, cell: Cell, kinds: AccessKinds, last: u64) -> Option<&HostRegion> {
        self.host_regions.last_of_range(last, host_range(cell, kinds)?)
    }

    /// The first memory of a cell that the host wrote in the slots from one on.
    fn next_host_region(&self, cell: Cell, kinds: AccessKinds, first: u64) -> Option<&HostRegion> {
        self.host_regions.next_of_range(first, host_range(cell, kinds)?)
    }

    fn host_hit(&self, region: &HostRegion) -> Result<Hit, QueryError> {
        let position = Position(region.slot);
        let step = position.last_step().ok_or(QueryError::TraceChanged)?;
        self.hit(step, position, Some(region.access()))
    }

    /// The first of some events that accesses a cell in a slot.
    fn first_of_cell<'a>(
        &self,
        events: &'a [SlotEvent],
        slot: u64,
        cell: Cell,
        kinds: AccessKinds,
    ) -> Option<&'a SlotEvent> {
        let mut events = events.iter().filter(|event| event.slot == slot);
        events.find(|event| match (&event.kind, cell) {
            (EventKind::Register { view, .. }, Cell::Register { thread, view: wanted }) => {
                event.thread == thread && view.overlaps(wanted)
            }
            (EventKind::Access { kind, address, size_bytes, .. }, Cell::Memory { address: wanted, len_bytes }) => {
                let last = |start: Address, len: u64| start.0.saturating_add(len.saturating_sub(1));
                kinds.includes(*kind)
                    && address.0 <= last(wanted, len_bytes)
                    && wanted.0 <= last(*address, u64::from(*size_bytes))
            }
            _ => false,
        })
    }

    /// The line of an event that was read by itself.
    fn line_of(&self, event: &SlotEvent, cancel: &Cancel) -> Result<Line, QueryError> {
        let Some(step) = Position(event.slot).last_step() else { return Ok(Line(event.line_in_range + 1)) };
        // The text of a slot begins with its step, but for lines with the step's time before it.
        let record = Steps { first: step, count: 1 }.run(self, cancel)?.into_iter().next();
        let events = self.events(event.slot..event.slot + 1)?;
        let line_of_step = events.first().map_or(0, |first| first.line_in_range);
        let line = record.and_then(|record| record.line).map_or(0, |line| line.0);
        Ok(Line((line + event.line_in_range).saturating_sub(line_of_step)))
    }

    /// The step just before a position, when it accessed a cell: a question asked again from there looks before it.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn is_accessed_by(&self, step: Step, cell: Cell, kinds: AccessKinds) -> Result<bool, QueryError> {
        let slot = step.0.saturating_add(1);
        if self.last_host_region(cell, kinds, slot).is_some_and(|region| region.slot == slot) {
            return Ok(true);
        }
        if let Some((thread, view)) = self.operand_cell(cell)? {
            let used = self.last_uses(thread, &[view], kinds, slot, &Cancel::default())?.pop().flatten();
            return Ok(used.is_some_and(|used| used.slot == slot));
        }
        let cell = self.home_of(cell, Position(slot))?;
        let events = self.events(slot..slot + 1)?;
        Ok(self.first_of_cell(&events, slot, cell, kinds).is_some())
    }
}

/// The addresses of a cell, if questions about these accesses of it may be about what the host wrote.
fn host_range(cell: Cell, kinds: AccessKinds) -> Option<AddressRange> {
    match cell {
        Cell::Memory { address, len_bytes } if kinds != AccessKinds::Reads => {
            Some(AddressRange { first: address.0, last: last_of(address, len_bytes)? })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::in_memory::index_in_memory;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::options::BuildOptions;

    fn index_of(text: &str) -> Index<Tarmac> {
        let tarmac = Tarmac::open(Box::new(text.as_bytes().to_vec()), Default::default()).unwrap();
        index_in_memory(Arc::new(tarmac), &BuildOptions { segment_bytes: 1, threads: 1 }).unwrap()
    }

    #[track_caller]
    fn check(index: &Index<Tarmac>, (address, len_bytes): (u64, u64), expected: (Option<u64>, Option<u64>)) {
        let cell = Cell::Memory { address: Address(address), len_bytes };
        let (kinds, cancel) = (AccessKinds::Writes, Cancel::default());
        let last = match (LastAccess { cell, kinds, before: index.end() }).run(index, &cancel).unwrap() {
            LastAccessAnswer::Step(hit) => Some(hit.record.step.0),
            LastAccessAnswer::Initial(_) | LastAccessAnswer::Never => None,
        };
        let next = NextAccess { cell, kinds, from: Position(0) }.run(index, &cancel).unwrap();
        assert_eq!((last, next.map(|hit| hit.record.step.0)), expected, "{len_bytes} bytes from {address:#x}");
    }

    #[test]
    fn a_range_may_be_as_long_as_the_address_space() {
        let step = |time: u64| format!("{time} clk IT ({time}) 00001000 e1a00000 A usr : NOP\n");
        let write = |time: u64, address: u64| format!("{time} clk MW4 {address:016x} 00000011\n");
        let far = u64::MAX - 3;
        let text = [step(1), write(1, far), step(2), write(2, 0x1003e), step(3), write(3, 0), step(4)].concat();
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
