//! Queries for accesses of a cell: the slots with accesses, and the matching accesses of a slot.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use stepback_machine::{AccessKind, Address, RegisterView};
use stepback_parsers::{Line, Position, Step};

use crate::answers::cell::{AccessKinds, Cell, Direction, MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::{Access, AccessTarget, CellAccess, Doubt, Effect, Hit};
use crate::index::Index;
use crate::index::homes::{Homes, WriteCertainty};
use crate::index::memories::MemoryId;
use crate::inference::access_values::fill_accesses;
use crate::inference::overwrites::OverwriteReader;
use crate::query::access::NearestAccess;
use crate::query::physical::PhysicalPageFilter;
use crate::query::question::Query as _;
use crate::query::register_reads::{DecodedUses, OperandsOf, RegisterReads};
use crate::query::steps::Steps;
use crate::read::banks::OpenWrites;
use crate::read::bytes::ByteReader;
use crate::read::contradictions::Contradictions;
use crate::read::names::NameReader;
use crate::read::operands::OperandReader;
use crate::read::records::{self, FoundAccess};
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader, ThreadSlot};
use crate::read::thread_steps::nearest_own_slot;
use crate::read::touches::{SlotBound, TouchReader};
use crate::read::untraced;
use crate::read::views::ViewReader;
use crate::store::contents::NamedBank;
use crate::store::granules::last_of;
use crate::store::regions::host_regions::{AddressRange, HostRegion};

/// Parameters of an access query.
#[derive(Clone)]
pub(super) struct AccessQuery<'a> {
    pub index: &'a Index,
    pub cell: Cell,
    /// Physical registers of the cell: of its banks the one in use at the position; none before
    /// that is known.
    pub homes: Option<Homes>,
    pub kinds: AccessKinds,
    pub owners: OwnerFilter,
    /// Thread that accesses memory; all threads without one.
    pub thread: Option<ThreadId>,
    /// Address space of the memory; none if all threads share one.
    pub memory: Option<MemoryId>,
    /// Physical page of the accesses, if only those to one page count.
    pub within: Option<PhysicalPageFilter>,
    pub cancel: &'a Cancel,
}

/// Window of accesses: skips some of the first slot with any, then takes at most `limit`.
#[derive(Clone, Copy)]
pub(super) struct AccessWindow {
    pub skip: usize,
    pub limit: usize,
}

/// Filter for the actors of accesses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnerFilter {
    /// Also values that the trace states for a thread before its first step.
    Any,
    /// Only accesses by steps.
    Steps,
}

/// An access of the cell, and the step that did it: none before a thread's first step.
pub(super) struct OwnedAccess<'a> {
    pub step: Option<Step>,
    thread: ThreadId,
    what: AccessSource<'a>,
    /// Certainty that it accessed the cell.
    certainty: WriteCertainty,
}

/// Source of an access.
enum AccessSource<'a> {
    /// A line or record.
    Event(SlotEvent),
    /// The host, on behalf of a call.
    Host(&'a HostRegion),
}

impl<'a> AccessQuery<'a> {
    /// Returns the uses of the cell's register, if only instructions' operands show them.
    pub fn decoded(&self, at: Position) -> Result<Option<DecodedUses<'a>>, QueryError> {
        let Cell::Register { thread, view } = self.cell else {
            return Ok(None);
        };
        let is_untraced = || {
            untraced::untraced_registers(self.index, thread).map(|untraced| untraced.includes(view))
        };
        if self.index.has_operands_alone() || self.kinds != AccessKinds::Reads && is_untraced()? {
            let reader = OperandReader {
                index: self.index,
                thread,
                kinds: self.kinds.into(),
            };
            let cell = reader.cells(&[view], at)?.pop().unwrap_or(view);
            return Ok(Some(DecodedUses::Uses(OperandsOf {
                reader,
                view,
                cell,
                kinds: self.kinds,
            })));
        }
        let reads = (self.kinds == AccessKinds::Reads)
            .then(|| RegisterReads::new(self.index, thread, view, at));
        Ok(reads.transpose()?.map(DecodedUses::Reads))
    }

    /// Resolves the register to the bank in use in the state at a position.
    pub fn in_state_at(self, at: Position) -> Result<Self, QueryError> {
        let homes = match self.cell {
            Cell::Register { thread, view } => {
                Some(RegisterReader::new(self.index, thread, at).homes(view)?)
            }
            Cell::Memory { .. } | Cell::Physical { .. } => None,
        };
        Ok(Self { homes, ..self })
    }

    /// Returns the nearest slot in a direction, from `bound` on, with a possible matching access.
    /// Slots with accesses only by other threads are skipped if the index records the threads.
    pub fn nearest_slot(
        &self,
        mut bound: u64,
        direction: Direction,
    ) -> Result<Option<u64>, QueryError> {
        while let Some(slot) = self.nearest_slot_of_any(bound, direction)? {
            self.cancel.check()?;
            let within = match &self.within {
                Some(within) => within.nearest(slot, direction),
                None => Some(slot),
            };
            let Some(within) = within else { break };
            bound = match (self.thread, self.cell) {
                (Some(thread), Cell::Memory { .. }) => {
                    nearest_own_slot(self.index, thread, within, direction)?
                }
                _ => within,
            };
            if bound == slot {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// Returns the nearest slot from `bound` on in which any thread accessed the cell.
    fn nearest_slot_of_any(
        &self,
        bound: u64,
        direction: Direction,
    ) -> Result<Option<u64>, QueryError> {
        let region = self
            .host_range()
            .and_then(|range| match direction {
                Direction::Back => self.index.host_regions.last_of_range(bound, range),
                Direction::Forward => self.index.host_regions.next_of_range(bound, range),
            })
            .map(|region| region.slot);
        Ok(direction.nearer(self.nearest_recorded_slot(bound, direction)?, region))
    }

    /// Returns matching accesses of a slot, the nearest in a direction first.
    pub fn accesses_towards(
        &self,
        slot: u64,
        direction: Direction,
        part: &mut AccessWindow,
    ) -> Result<Vec<OwnedAccess<'a>>, QueryError> {
        match direction {
            Direction::Back => self.matching_accesses_back(slot, part),
            Direction::Forward => self.matching_accesses(slot, part),
        }
    }

    /// Returns matching accesses of a slot in trace order, within a window.
    fn matching_accesses(
        &self,
        slot: u64,
        part: &mut AccessWindow,
    ) -> Result<Vec<OwnedAccess<'a>>, QueryError> {
        let (mut done, mut left) = (Vec::new(), part.skip);
        self.each_matching_access(slot, |found| {
            if left > 0 {
                left -= 1;
            } else if done.len() < part.limit {
                done.push(found);
            }
        })?;
        part.skip = if left < part.skip { 0 } else { left };
        Ok(done)
    }

    /// Returns matching accesses of a slot from the last one backwards, within a window.
    fn matching_accesses_back(
        &self,
        slot: u64,
        part: &mut AccessWindow,
    ) -> Result<Vec<OwnedAccess<'a>>, QueryError> {
        let mut count = 0usize;
        self.each_matching_access(slot, |_| count += 1)?;
        let end = count.saturating_sub(part.skip);
        let limit = part.limit.min(end);
        let mut done = self.matching_accesses(
            slot,
            &mut AccessWindow {
                skip: end - limit,
                limit,
            },
        )?;
        done.reverse();
        if count > 0 {
            part.skip = 0;
        }
        Ok(done)
    }

    /// Calls `take` for the matching accesses of a slot, in trace order.
    fn each_matching_access(
        &self,
        slot: u64,
        mut take: impl FnMut(OwnedAccess<'a>),
    ) -> Result<(), QueryError> {
        let mut open = self.open_writes(slot)?;
        let mut inside = self.within.as_ref().map(|within| within.in_slot(slot));
        SlotReader(self.index).each_event(slot..slot.saturating_add(1), |mut event| {
            if event.slot != slot {
                return Ok(());
            }
            if let Some(open) = &mut open {
                open.tell(&mut event);
            }
            if let (Some(inside), SlotEventKind::Marker(marker)) = (&mut inside, &event.kind) {
                inside.marker(event.thread, *marker);
            }
            // The host's write comes right after the step of its call, before what the trace shows.
            if let SlotEventKind::Step(_) = event.kind
                && let Some(region) = self.host_region_of(slot)
                && self.is_of_thread(event.thread)
                && self.within.is_none()
            {
                let step = Position(slot).last_step();
                let what = AccessSource::Host(region);
                take(OwnedAccess {
                    step,
                    thread: event.thread,
                    what,
                    certainty: WriteCertainty::Sure,
                });
            }
            if let Some(certainty) = self.meant(&event)
                && inside
                    .as_mut()
                    .is_none_or(|inside| inside.holds(event.thread))
            {
                let (thread, step) = (
                    event.thread,
                    SlotReader(self.index).owner(event.thread, slot)?,
                );
                // A dump of a thread before its first step, after the first of another: no step did
                // it.
                if step.is_some() || self.owners == OwnerFilter::Any {
                    take(OwnedAccess {
                        step,
                        thread,
                        what: AccessSource::Event(event),
                        certainty,
                    });
                }
            }
            Ok(())
        })
    }

    /// Returns the reader that resolves the register names written in a slot.
    fn open_writes(&self, slot: u64) -> Result<Option<OpenWrites<'a>>, QueryError> {
        match (&self.homes, self.cell) {
            (Some(homes), Cell::Register { thread, .. }) => {
                OpenWrites::of(self.index, thread, homes, slot)
            }
            _ => Ok(None),
        }
    }

    /// Converts accesses of a slot to the rows of an answer.
    pub fn accessed(
        &self,
        slot: u64,
        done: &[OwnedAccess<'_>],
        query: NearestAccess,
    ) -> Result<Vec<CellAccess>, QueryError> {
        let by_steps = done
            .iter()
            .filter(|done| done.step.is_some() || matches!(done.what, AccessSource::Host(_)));
        let mut hits = self.hits(by_steps)?.into_iter();
        let mut doubts: HashMap<ThreadId, Option<Doubt>> = HashMap::new();
        // It is equal for all lines of the slot.
        let mut line_base = None;
        let mut next_hit = || hits.next().ok_or(QueryError::TraceChanged);
        let accessed = done.iter().map(|done| match (&done.what, done.step) {
            (AccessSource::Event(event), None) => {
                let base = match line_base {
                    Some(base) => base,
                    None => *line_base.insert(self.line_base(slot)?),
                };
                Ok(CellAccess::Initial(Line(
                    base.wrapping_add(event.line_in_range),
                )))
            }
            (AccessSource::Host(_), _) => Ok(CellAccess::Step(Box::new(next_hit()?))),
            (AccessSource::Event(_), Some(_)) => {
                let mut hit = next_hit()?;
                // Only traces with markers show system calls.
                if query.direction == Direction::Back
                    && self.kinds == AccessKinds::Writes
                    && self.cell.range().is_some()
                {
                    // It is equal for all that a thread did here.
                    hit.doubt = match doubts.entry(done.thread) {
                        Entry::Occupied(known) => *known.get(),
                        Entry::Vacant(free) => {
                            let done = ThreadSlot {
                                thread: done.thread,
                                slot,
                            };
                            let reader = OverwriteReader::new(self.index, self.cell.range());
                            *free.insert(reader.overtaken(done, query.at, self.cancel)?)
                        }
                    };
                }
                Ok(CellAccess::Step(Box::new(hit)))
            }
        });
        accessed.collect()
    }

    /// Converts accesses of a slot by steps to hits, with inferred values.
    pub fn hits<'d>(
        &self,
        done: impl Iterator<Item = &'d OwnedAccess<'d>> + Clone,
    ) -> Result<Vec<Hit>, QueryError> {
        let contradictions = self.contradictions_of(done.clone())?;
        let found = |done: &OwnedAccess<'_>| {
            let step = done.step.ok_or(QueryError::TraceChanged)?;
            Ok(match &done.what {
                AccessSource::Host(region) => FoundAccess {
                    step,
                    position: Position(region.slot),
                    access: Some(region.access()),
                },
                AccessSource::Event(event) => {
                    let access = records::access_of(self.index, event, &contradictions);
                    let access = access.map(|access| self.under_plain_name(event, access));
                    FoundAccess {
                        step,
                        position: Position(event.slot),
                        access,
                    }
                }
            })
        };
        let certainties: Vec<WriteCertainty> = done.clone().map(|done| done.certainty).collect();
        let mut hits = records::hits(
            self.index,
            done.map(found).collect::<Result<_, QueryError>>()?,
        )?;
        for (hit, certainty) in hits.iter_mut().zip(certainties) {
            hit.doubt = (certainty == WriteCertainty::Doubtful)
                .then_some(Doubt::Bank)
                .or(hit.doubt);
        }
        if self.index.is_inferred() {
            // The accesses of several threads alternate.
            let mut by_step: BTreeMap<Step, Vec<&mut Hit>> = BTreeMap::new();
            hits.iter_mut()
                .for_each(|hit| by_step.entry(hit.record.step).or_default().push(hit));
            by_step
                .into_values()
                .try_for_each(|hits| self.fill_in_values(hits))?;
        }
        Ok(hits)
    }

    /// Fills in inferred values of accesses of a step.
    fn fill_in_values(&self, hits: Vec<&mut Hit>) -> Result<(), QueryError> {
        let Some(first) = hits.first() else {
            return Ok(());
        };
        let shown = first.record.effects.len();
        let mut record = first.record.clone();
        record.effects.extend(
            hits.iter()
                .filter_map(|hit| hit.access.clone())
                .map(Effect::Access),
        );
        fill_accesses(self.index, std::slice::from_mut(&mut record), self.cancel)?;
        let mut accesses = record
            .effects
            .split_off(shown)
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Access(access) => Some(access),
                _ => None,
            });
        for hit in hits {
            hit.record.effects.clone_from(&record.effects);
            if hit.access.is_some() {
                hit.access = accesses.next();
            }
        }
        Ok(())
    }

    /// Returns the contradictions of the reads among some accesses, all of one slot.
    fn contradictions_of<'d>(
        &self,
        done: impl Iterator<Item = &'d OwnedAccess<'d>>,
    ) -> Result<Contradictions, QueryError> {
        let mut slots = done.filter_map(|done| match &done.what {
            AccessSource::Event(event)
                if matches!(
                    event.kind,
                    SlotEventKind::Access {
                        kind: AccessKind::Read,
                        ..
                    }
                ) =>
            {
                Some(event.slot)
            }
            _ => None,
        });
        match slots.next().filter(|_| self.index.contents.externals != 0) {
            Some(slot) => Contradictions::of_slot(self.index, slot),
            None => Ok(Contradictions::default()),
        }
    }

    /// Renames an access to the requested name, if a line writes the register under two names.
    fn under_plain_name(&self, event: &SlotEvent, access: Access) -> Access {
        let (
            Cell::Register { view, .. },
            SlotEventKind::Register {
                view: written,
                is_bank_copy: true,
                ..
            },
        ) = (self.cell, &event.kind)
        else {
            return access;
        };
        let is_of_requested =
            |bank: &NamedBank| bank.register == written.register && bank.plain == view.register;
        if !self.index.banks.iter().any(is_of_requested) {
            return access;
        }
        let plain = RegisterView {
            register: view.register,
            ..*written
        };
        Access {
            target: AccessTarget::Register(NameReader(self.index).register_name(plain, event.set)),
            ..access
        }
    }

    /// Returns the nearest slot from `bound` on in which the trace shows an access.
    fn nearest_recorded_slot(
        &self,
        bound: u64,
        direction: Direction,
    ) -> Result<Option<u64>, QueryError> {
        let range = match self.cell {
            Cell::Register { thread, .. } => {
                let mut found = None;
                for home in self.homes.iter().flat_map(Homes::lists) {
                    let views = ViewReader(self.index);
                    let slot = views.nearest_register_write(thread, home, bound, direction)?;
                    found = direction.nearer(found, slot);
                }
                return Ok(found);
            }
            Cell::Memory { address, len_bytes } => MemoryRange { address, len_bytes },
            // Physical memory is queried by its virtual parts.
            Cell::Physical { .. } => return Ok(None),
        };
        let (mut found, kinds) = (None, self.kinds.into());
        ByteReader::new(self.index).for_each_touched(range, self.cancel, |granule, mask| {
            let bound = SlotBound {
                slot: bound,
                direction,
            };
            let touch = self.touches().nearest_touch(granule, mask, bound, kinds)?;
            found = direction.nearer(found, touch.map(|touch| touch.slot));
            Ok(())
        })?;
        Ok(found)
    }

    /// Returns the addresses of the cell, if host writes may answer the query.
    fn host_range(&self) -> Option<AddressRange> {
        match self.cell {
            Cell::Memory { address, len_bytes } if self.kinds != AccessKinds::Reads => {
                Some(AddressRange {
                    first: address.0,
                    last: last_of(address, len_bytes)?,
                })
            }
            _ => None,
        }
    }

    /// Returns the host write of a slot, if it overlaps the cell.
    fn host_region_of(&self, slot: u64) -> Option<&'a HostRegion> {
        let (range, region) = (self.host_range()?, self.index.host_regions.at(slot)?);
        Some(region).filter(|region| region.first <= range.last && range.first <= region.last)
    }

    fn touches(&self) -> TouchReader<'a> {
        TouchReader::in_memory(self.index, self.memory)
    }

    fn is_of_thread(&self, thread: ThreadId) -> bool {
        let is_in_memory = || {
            self.memory
                .is_none_or(|memory| self.index.memories().of(thread) == Some(memory))
        };
        self.thread.is_none_or(|wanted| wanted == thread) && is_in_memory()
    }

    /// Returns the certainty that an event accesses the cell; none if it does not.
    fn meant(&self, event: &SlotEvent) -> Option<WriteCertainty> {
        match (&event.kind, self.cell) {
            (SlotEventKind::Register { .. }, Cell::Register { thread, .. }) => {
                let homes = self.homes.as_ref().filter(|_| event.thread == thread)?;
                event.home().and_then(|home| homes.written(home))
            }
            (
                SlotEventKind::Access {
                    kind,
                    address,
                    size_bytes,
                    ..
                },
                Cell::Memory {
                    address: wanted,
                    len_bytes,
                },
            ) => {
                let last = |start: Address, len: u64| start.0.saturating_add(len.saturating_sub(1));
                let is_meant = self.is_of_thread(event.thread)
                    && self.kinds.includes(*kind)
                    && address.0 <= last(wanted, len_bytes)
                    && wanted.0 <= last(*address, u64::from(*size_bytes));
                is_meant.then_some(WriteCertainty::Sure)
            }
            _ => None,
        }
    }

    /// Returns the number to add to the line in range of an event of a slot that was read
    /// separately, for its line.
    fn line_base(&self, slot: u64) -> Result<u64, QueryError> {
        let (index, cancel) = (self.index, self.cancel);
        let Some(step) = Position(slot).last_step() else {
            return Ok(1);
        };
        // The text of a slot begins with its step, except for lines with the step's time before it.
        let record = Steps {
            first: step,
            count: 1,
        }
        .run(index, cancel)?
        .into_iter()
        .next();
        let mut line_of_step = None;
        SlotReader(index).each_event(slot..slot.saturating_add(1), |event| {
            line_of_step.get_or_insert(event.line_in_range);
            Ok(())
        })?;
        let line = record
            .and_then(|record| record.line)
            .map_or(0, |line| line.0);
        Ok(line.wrapping_sub(line_of_step.unwrap_or(0)))
    }
}
