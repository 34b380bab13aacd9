//! The last and next access of a cell.

use stepback_machine::{Address, RegisterView};
use stepback_parsers::{Line, Position, Source, Step};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::cell::{Cell, MemoryRange};
use crate::answers::error::QueryError;
use crate::answers::hit::{Doubt, Hit};
use crate::answers::step_record::{Access, AccessTarget, Effect};
use crate::index::Index;
use crate::inference::access_values::fill_accesses;
use crate::query::question::Query;
use crate::query::register_reads::RegisterReads;
use crate::query::steps::Steps;
use crate::read::banks::Homes;
use crate::read::bytes::ByteReader;
use crate::read::names::NameReader;
use crate::read::operands::{OperandReader, OperandUse};
use crate::read::overtaken::DoubtReader;
use crate::read::records::RecordReader;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{EventKind, SlotEvent, SlotReader, ThreadSlot};
use crate::read::touches::TouchReader;
use crate::read::views::ViewReader;
use crate::store::granules::last_of;
use crate::store::named_bank::NamedBank;
use crate::store::regions::host_regions::HostRegion;
use crate::store::regions::ranges::AddressRange;

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

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<LastAccessAnswer, QueryError> {
        SlotReader(index).check_position(self.before)?;
        let asked = Asked { index, cell: self.cell, homes: None, kinds: self.kinds, cancel };
        if let Some(operands) = asked.operands()? {
            return Ok(match operands.last_hit(self.before, cancel)? {
                Some(hit) => LastAccessAnswer::Step(Box::new(hit)),
                None => LastAccessAnswer::Never,
            });
        }
        if let Some(reads) = asked.register_reads(self.before)? {
            return Ok(match reads.last(self.before, cancel)? {
                Some(hit) => LastAccessAnswer::Step(Box::new(hit)),
                None => LastAccessAnswer::Never,
            });
        }
        let asked = Asked { homes: asked.homes_at(self.before)?, ..asked };
        let slot = asked.last_slot(self.before.0)?;
        // In the slot of a call, what the trace shows comes after what the host wrote.
        let region = asked.last_host_region(self.before.0);
        if let Some(region) = region.filter(|region| slot.is_none_or(|slot| slot < region.slot)) {
            return Ok(LastAccessAnswer::Step(Box::new(asked.host_hit(region)?)));
        }
        match slot {
            Some(slot) => self.answer_of(&asked, slot),
            None => Ok(LastAccessAnswer::Never),
        }
    }
}

impl LastAccess {
    /// The answer when a slot has the last access that the trace shows.
    fn answer_of<S: Source>(&self, asked: &Asked<'_, S>, slot: u64) -> Result<LastAccessAnswer, QueryError> {
        let (index, cancel) = (asked.index, asked.cancel);
        let mut events = SlotReader(index).events(slot..slot + 1)?;
        events.reverse();
        let event = asked.first_of(&events, slot).ok_or(QueryError::TraceChanged)?;
        let thread = event.thread;
        let Some(step) = SlotReader(index).owner(thread, slot)? else {
            return Ok(LastAccessAnswer::Initial(line_of(index, event, cancel)?));
        };
        let mut hit = asked.hit(step, event)?;
        // Only traces with markers show system calls.
        if self.kinds == AccessKinds::Writes && matches!(asked.cell, Cell::Memory { .. }) {
            hit.doubt = DoubtReader(index).overtaken(ThreadSlot { thread, slot }, self.before, cancel)?;
        }
        Ok(LastAccessAnswer::Step(Box::new(hit)))
    }
}

impl Query for NextAccess {
    type Answer = Option<Hit>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        SlotReader(index).check_position(self.from)?;
        let asked = Asked { index, cell: self.cell, homes: None, kinds: self.kinds, cancel };
        if let Some(operands) = asked.operands()? {
            return operands.next_hit(self.from, cancel);
        }
        if let Some(reads) = asked.register_reads(self.from)? {
            return reads.next(self.from, cancel);
        }
        let asked = Asked { homes: asked.homes_at(self.from)?, ..asked };
        let mut from = self.from.0;
        loop {
            cancel.check()?;
            let first = from.saturating_add(1);
            let slot = asked.next_slot(first)?;
            let region = asked.next_host_region(first);
            if let Some(region) = region.filter(|region| slot.is_none_or(|slot| region.slot <= slot)) {
                return Ok(Some(asked.host_hit(region)?));
            }
            let Some(slot) = slot else { return Ok(None) };
            for event in SlotReader(index).events(slot..slot + 1)? {
                let is_meant = asked.first_of(std::slice::from_ref(&event), slot).is_some();
                if is_meant && let Some(step) = SlotReader(index).owner(event.thread, slot)? {
                    return Ok(Some(asked.hit(step, &event)?));
                }
            }
            // A dump of a thread before its first step, after the first of another: no step did it.
            from = slot;
        }
    }
}

impl Query for IsAccessedBy {
    type Answer = bool;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<bool, QueryError> {
        let (slot, cell) = (self.step.0.saturating_add(1), self.cell);
        let asked = Asked { index, cell, homes: None, kinds: self.kinds, cancel };
        if asked.last_host_region(slot).is_some_and(|region| region.slot == slot) {
            return Ok(true);
        }
        if let Some(OperandsOf { reader, view }) = asked.operands()? {
            let used = reader.last_uses(&[view], slot, cancel)?.pop().flatten();
            return Ok(used.is_some_and(|used| used.slot == slot));
        }
        if let Some(reads) = asked.register_reads(Position(slot))? {
            return reads.is_read_in(slot);
        }
        let asked = Asked { homes: asked.homes_at(Position(slot))?, ..asked };
        Ok(asked.first_of(&SlotReader(index).events(slot..slot + 1)?, slot).is_some())
    }
}

/// What is asked for.
struct Asked<'a, S> {
    index: &'a Index<S>,
    cell: Cell,
    /// Where the bytes of a register are: of its banks the one in use at the position; none before that is known.
    homes: Option<Homes>,
    kinds: AccessKinds,
    cancel: &'a Cancel,
}

impl<'a, S: Source> Asked<'a, S> {
    fn homes_at(&self, at: Position) -> Result<Option<Homes>, QueryError> {
        match self.cell {
            Cell::Register { thread, view } => RegisterReader::new(self.index, thread, at).homes(view).map(Some),
            Cell::Memory { .. } => Ok(None),
        }
    }

    /// The register that the cell is, where the operands of instructions tell of it.
    fn operands(&self) -> Result<Option<OperandsOf<'a, S>>, QueryError> {
        match self.cell {
            Cell::Register { thread, view } if self.index.has_operands_alone() => {
                let reader = OperandReader { index: self.index, thread, kinds: self.kinds };
                reader.check()?;
                Ok(Some(OperandsOf { reader, view }))
            }
            _ => Ok(None),
        }
    }

    /// The reads of the register that the cell is, where the trace does not show them.
    fn register_reads(&self, at: Position) -> Result<Option<RegisterReads<'a, S>>, QueryError> {
        match self.cell {
            Cell::Register { thread, view } if self.kinds == AccessKinds::Reads => {
                RegisterReads::new(self.index, thread, view, at).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The last slot up to one in which the trace shows an access.
    fn last_slot(&self, last: u64) -> Result<Option<u64>, QueryError> {
        let range = match self.cell {
            Cell::Register { thread, .. } => {
                let mut found = None;
                for home in self.homes.iter().flat_map(Homes::views) {
                    found = found.max(ViewReader(self.index).last_register_slot(thread, home, last)?);
                }
                return Ok(found);
            }
            Cell::Memory { address, len_bytes } => MemoryRange { address, len_bytes },
        };
        let mut found = None;
        ByteReader(self.index).for_each_touched(range, self.cancel, |granule, mask| {
            let touches = TouchReader(self.index).last_touches(granule, mask, last, self.kinds.into())?;
            found = found.max(touches.iter().flatten().map(|touch| touch.slot).max());
            Ok(())
        })?;
        Ok(found)
    }

    /// The first slot from one on in which the trace shows an access.
    fn next_slot(&self, first: u64) -> Result<Option<u64>, QueryError> {
        let range = match self.cell {
            Cell::Register { thread, .. } => {
                let mut found: Option<u64> = None;
                for home in self.homes.iter().flat_map(Homes::views) {
                    let next = ViewReader(self.index).next_register_slot(thread, home, first)?;
                    found = found.into_iter().chain(next).min();
                }
                return Ok(found);
            }
            Cell::Memory { address, len_bytes } => MemoryRange { address, len_bytes },
        };
        let mut found: Option<u64> = None;
        ByteReader(self.index).for_each_touched(range, self.cancel, |granule, mask| {
            let touches = TouchReader(self.index).next_touches(granule, mask, first, self.kinds.into())?;
            found = found.into_iter().chain(touches.iter().flatten().map(|touch| touch.slot)).min();
            Ok(())
        })?;
        Ok(found)
    }

    /// The last memory of the cell that the host wrote in the slots up to one.
    fn last_host_region(&self, last: u64) -> Option<&'a HostRegion> {
        self.index.host_regions.last_of_range(last, self.host_range()?)
    }

    /// The first memory of the cell that the host wrote in the slots from one on.
    fn next_host_region(&self, first: u64) -> Option<&'a HostRegion> {
        self.index.host_regions.next_of_range(first, self.host_range()?)
    }

    /// The addresses of the cell, if what the host wrote may answer the question.
    fn host_range(&self) -> Option<AddressRange> {
        match self.cell {
            Cell::Memory { address, len_bytes } if self.kinds != AccessKinds::Reads => {
                Some(AddressRange { first: address.0, last: last_of(address, len_bytes)? })
            }
            _ => None,
        }
    }

    fn host_hit(&self, region: &HostRegion) -> Result<Hit, QueryError> {
        let position = Position(region.slot);
        let step = position.last_step().ok_or(QueryError::TraceChanged)?;
        RecordReader(self.index).hit(step, position, Some(region.access()))
    }

    /// The first of some events that accesses the cell in a slot.
    fn first_of<'b>(&self, events: &'b [SlotEvent], slot: u64) -> Option<&'b SlotEvent> {
        let mut events = events.iter().filter(|event| event.slot == slot);
        events.find(|event| match (&event.kind, self.cell) {
            (EventKind::Register { .. }, Cell::Register { thread, .. }) => {
                event.thread == thread && self.homes.as_ref().is_some_and(|homes| homes.written(event).is_some())
            }
            (EventKind::Access { kind, address, size_bytes, .. }, Cell::Memory { address: wanted, len_bytes }) => {
                let last = |start: Address, len: u64| start.0.saturating_add(len.saturating_sub(1));
                self.kinds.includes(*kind)
                    && address.0 <= last(wanted, len_bytes)
                    && wanted.0 <= last(*address, u64::from(*size_bytes))
            }
            _ => false,
        })
    }

    /// An access under the name that was asked for, where a line writes the register under two.
    fn under_plain_name(&self, event: &SlotEvent, access: Access) -> Access {
        let (Cell::Register { view, .. }, EventKind::Register { view: written, is_bank_copy: true, .. }) =
            (self.cell, &event.kind)
        else {
            return access;
        };
        let is_of_asked = |bank: &NamedBank| bank.register == written.register && bank.plain == view.register;
        if !self.index.banks.iter().any(is_of_asked) {
            return access;
        }
        let plain = RegisterView { register: view.register, ..*written };
        Access { target: AccessTarget::Register(NameReader(self.index).register_name(plain, event.set)), ..access }
    }

    /// What a step did in an event, with the values of its accesses that follow from what steps did.
    fn hit(&self, step: Step, event: &SlotEvent) -> Result<Hit, QueryError> {
        let reader = RecordReader(self.index);
        let access = reader.access_of(event)?.map(|access| self.under_plain_name(event, access));
        let mut hit = reader.hit(step, Position(event.slot), access)?;
        fill_accesses(self.index, std::slice::from_mut(&mut hit.record), self.cancel)?;
        let Some(access) = &mut hit.access else { return Ok(hit) };
        let same = hit.record.effects.iter().find_map(|effect| match effect {
            Effect::Access(known) if (known.kind, &known.target) == (access.kind, &access.target) => Some(known),
            _ => None,
        });
        if let Some(same) = same.filter(|same| same.is_inferred) {
            *access = same.clone();
        }
        Ok(hit)
    }
}

/// A register of which the operands of instructions tell.
struct OperandsOf<'a, S> {
    reader: OperandReader<'a, S>,
    view: RegisterView,
}

impl<S: Source> OperandsOf<'_, S> {
    fn last_hit(&self, before: Position, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let last = self.reader.last_uses(&[self.view], before.0, cancel)?.pop().flatten();
        let Some(last) = last else { return Ok(None) };
        let mut hit = self.hit(last)?;
        if hit.doubt.is_none() && self.reader.kinds != AccessKinds::Reads {
            let used = ThreadSlot { thread: self.reader.thread, slot: last.slot };
            hit.doubt = DoubtReader(self.reader.index).restored(used, before, cancel)?;
        }
        self.in_doubt(hit, before, cancel).map(Some)
    }

    fn next_hit(&self, from: Position, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let Some(next) = self.reader.next_use(self.view, from.0.saturating_add(1), cancel)? else { return Ok(None) };
        self.in_doubt(self.hit(next)?, from, cancel).map(Some)
    }

    fn hit(&self, found: OperandUse) -> Result<Hit, QueryError> {
        let position = Position(found.slot);
        let step = position.last_step().ok_or(QueryError::TraceChanged)?;
        let hit = RecordReader(self.reader.index).hit(step, position, None)?;
        let kind = hit.record.kind_of_use(self.view, self.reader.kinds);
        Ok(Hit { doubt: found.doubt, access: Some(self.reader.access(self.view, kind)), ..hit })
    }

    /// A use of a register; where steps may be missing, it may not be the nearest.
    fn in_doubt(&self, hit: Hit, at: Position, cancel: &Cancel) -> Result<Hit, QueryError> {
        let is_filtered = hit.doubt.is_none() && DoubtReader(self.reader.index).is_filtered(at, cancel)?;
        Ok(Hit { doubt: hit.doubt.or(is_filtered.then_some(Doubt::Filtered)), ..hit })
    }
}

/// The line of an event that was read by itself.
fn line_of<S: Source>(index: &Index<S>, event: &SlotEvent, cancel: &Cancel) -> Result<Line, QueryError> {
    let Some(step) = Position(event.slot).last_step() else { return Ok(Line(event.line_in_range + 1)) };
    // The text of a slot begins with its step, but for lines with the step's time before it.
    let record = Steps { first: step, count: 1 }.run(index, cancel)?.into_iter().next();
    let events = SlotReader(index).events(event.slot..event.slot + 1)?;
    let line_of_step = events.first().map_or(0, |first| first.line_in_range);
    let line = record.and_then(|record| record.line).map_or(0, |line| line.0);
    Ok(Line((line + event.line_in_range).saturating_sub(line_of_step)))
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
