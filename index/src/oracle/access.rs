//! Replays of access queries by a scan of all events: the nearest access and all accesses of a
//! cell, the accesses of a memory range, the page heat map, and external changes. A register name
//! is resolved once, at the position of the query.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Line, Position};

use crate::answers::cell::{AccessKinds, Cell, Direction, MemoryRange, ThreadId};
use crate::answers::difference::ExternalChange;
use crate::answers::step_record::{AccessesAt, CellAccess, Doubt, HIT_EFFECTS, Hit};
use crate::oracle::banks::{MatchCertainty, NameMeaning};
use crate::oracle::event::{OracleEvent, OracleEventKind};
use crate::oracle::operands::{ActiveSlot, PossibleUse, UseQuery};
use crate::oracle::record::{Oracle, Replay};
use crate::query::access::{Accesses, NearestAccess};
use crate::query::accesses::AccessesOf;
use crate::query::externals::ExternalChanges;
use crate::query::page_heat::{HeatMap, HotPage, PageHeat};

impl Replay for NearestAccess {
    fn replay(&self, oracle: &Oracle) -> Option<Option<CellAccess>> {
        let nearest = Accesses {
            nearest: *self,
            thread: None,
            skip: 0,
            limit: 1,
        };
        let found = nearest.replay(oracle)?;
        Some(found.and_then(|found| found.accesses.into_iter().next()))
    }
}

impl Replay for Accesses {
    fn replay(&self, oracle: &Oracle) -> Option<Option<AccessesAt>> {
        let NearestAccess {
            cell,
            kinds,
            at,
            direction,
        } = self.nearest;
        oracle.check(at)?;
        // Instructions show one use per step.
        let of_hit = |hit: Hit| AccessesAt {
            position: hit.position,
            accesses: vec![CellAccess::Step(Box::new(hit))],
        };
        if let Some(requested) = oracle.requested_uses(cell, kinds) {
            let used = use_by_operands(&self.nearest, oracle, requested);
            let hit = used.and_then(|used| oracle.use_hit(requested, used));
            return Some(hit.map(of_hit));
        }
        if let Some(requested) = decoded_uses(cell, kinds) {
            let reads = oracle.decoded_reads(requested, at)?;
            let read = match direction {
                Direction::Back => reads.iter().rev().find(|read| read.used.step.after() <= at),
                Direction::Forward => reads.iter().find(|read| read.used.step.before() >= at),
            };
            let hit = read.and_then(|read| oracle.read_hit(requested, read));
            return Some(hit.map(of_hit));
        }
        let meant = oracle.meant_cell(cell, at);
        let counts = |event: &&OracleEvent| {
            accesses(event, &meant, kinds) && is_of_thread(event, cell, self.thread)
        };
        let events: Vec<&OracleEvent> = match direction {
            Direction::Back => {
                let events = oracle.events_until(at).iter().rev();
                events.filter(counts).collect()
            }
            Direction::Forward => {
                let events = oracle.events_after(at).iter();
                let by_steps = |event: &&OracleEvent| event.owner.is_some();
                events.filter(counts).filter(by_steps).collect()
            }
        };
        let part = SlotPortion {
            skip: self.skip,
            limit: self.limit,
        };
        let same = part.of(&events, |event| event.slot);
        let Some(slot) = same.first().map(|event| event.slot) else {
            return Some(None);
        };
        let accesses = same.iter().map(|event| match oracle.hit_of(event) {
            Some(hit) => {
                let doubt = doubt(&self.nearest, oracle, event);
                let doubt = doubt.or(bank_doubt(event, &meant));
                CellAccess::Step(Box::new(Hit { doubt, ..hit }))
            }
            None => CellAccess::Initial(Line(event.line + 1)),
        });
        Some(Some(AccessesAt {
            position: Position(slot),
            accesses: accesses.collect(),
        }))
    }
}

/// Finds the nearest use that only the operands of instructions show.
fn use_by_operands(
    query: &NearestAccess,
    oracle: &Oracle,
    requested: UseQuery,
) -> Option<PossibleUse> {
    let (at, mut uses) = (query.at, oracle.uses(requested));
    let doubt_at = |used: &PossibleUse| used.doubt.or_else(|| oracle.filtered(at));
    let used = match query.direction {
        Direction::Forward => uses.find(|used| used.step.before() >= at)?,
        Direction::Back => {
            let last = uses.rev().find(|used| used.step.after() <= at)?;
            let done = ActiveSlot {
                thread: requested.thread,
                slot: last.step.after().0,
            };
            let restored = || oracle.restored(done, at);
            let is_write = query.kinds != AccessKinds::Reads;
            let doubt = last.doubt.or_else(|| is_write.then(restored).flatten());
            PossibleUse { doubt, ..last }
        }
    };
    let doubt = doubt_at(&used);
    Some(PossibleUse { doubt, ..used })
}

/// Returns the reason why a write that was found may not be the last.
fn doubt(query: &NearestAccess, oracle: &Oracle, event: &OracleEvent) -> Option<Doubt> {
    let is_recorded = !matches!(event.kind, OracleEventKind::HostWrite { .. });
    let is_last_write = query.direction == Direction::Back
        && query.kinds == AccessKinds::Writes
        && !matches!(query.cell, Cell::Register { .. });
    let done = ActiveSlot {
        thread: event.thread,
        slot: event.slot,
    };
    (is_recorded && is_last_write)
        .then(|| oracle.overtaken(done, query.at))
        .flatten()
}

/// Window of the accesses of the first slot that has any left after the skipped ones.
struct SlotPortion {
    skip: usize,
    limit: usize,
}

impl SlotPortion {
    fn of<'t, T>(&self, all: &'t [T], slot_of: impl Fn(&T) -> u64) -> &'t [T] {
        let mut groups = all.chunk_by(|one, next| slot_of(one) == slot_of(next));
        let first = groups.next().unwrap_or_default();
        let group = first
            .get(self.skip..)
            .filter(|rest| !rest.is_empty())
            .or_else(|| groups.next());
        let group = group.unwrap_or_default();
        group.get(..self.limit).unwrap_or(group)
    }
}

/// Returns true if the event is by a requested thread; a register cell already names its thread.
fn is_of_thread(event: &OracleEvent, cell: Cell, thread: Option<ThreadId>) -> bool {
    matches!(cell, Cell::Register { .. }) || thread.is_none_or(|thread| thread == event.thread)
}

/// Returns the request for reads of a register: no trace of this kind records them.
fn decoded_uses(cell: Cell, kinds: AccessKinds) -> Option<UseQuery> {
    match cell {
        Cell::Register { thread, view } if kinds == AccessKinds::Reads => Some(UseQuery {
            thread,
            view,
            kinds,
        }),
        _ => None,
    }
}

/// A cell with its register name resolved.
enum ResolvedCell {
    Register {
        thread: ThreadId,
        meaning: NameMeaning,
    },
    Memory {
        address: Address,
        len_bytes: u64,
    },
    /// Accesses of the physical range, by the addresses of their events in the oracle's memory.
    Physical(HashSet<*const OracleEvent>),
}

/// Returns the reason why an access of a register may be one of another register.
fn bank_doubt(event: &OracleEvent, cell: &ResolvedCell) -> Option<Doubt> {
    let (OracleEventKind::Register(written), ResolvedCell::Register { meaning, .. }) =
        (&event.kind, cell)
    else {
        return None;
    };
    (meaning.certainty(written) == Some(MatchCertainty::Doubtful)).then_some(Doubt::Bank)
}

fn accesses(event: &OracleEvent, cell: &ResolvedCell, kinds: AccessKinds) -> bool {
    match (&event.kind, cell) {
        (OracleEventKind::Register(written), ResolvedCell::Register { thread, meaning }) => {
            event.thread == *thread && meaning.certainty(written).is_some()
        }
        (OracleEventKind::Access(access), ResolvedCell::Memory { address, len_bytes }) => {
            let is_wanted = match kinds {
                AccessKinds::Reads => access.kind == AccessKind::Read,
                AccessKinds::Writes => access.kind == AccessKind::Write,
                AccessKinds::All => true,
            };
            let is_inside = |touched: u64| {
                touched
                    .checked_sub(address.0)
                    .is_some_and(|place| place < *len_bytes)
            };
            is_wanted && access.each_byte().any(|(touched, _)| is_inside(touched))
        }
        (OracleEventKind::Access(access), ResolvedCell::Physical(events)) => {
            let is_read = access.kind == AccessKind::Read;
            let is_wanted = kinds == AccessKinds::All || is_read == (kinds == AccessKinds::Reads);
            is_wanted && events.contains(&std::ptr::from_ref(event))
        }
        (
            OracleEventKind::HostWrite { first, last, .. },
            ResolvedCell::Memory { address, len_bytes },
        ) => {
            let is_inside = *len_bytes > 0
                && *first <= address.0.saturating_add(len_bytes - 1)
                && address.0 <= *last;
            kinds != AccessKinds::Reads && is_inside
        }
        _ => false,
    }
}

impl Oracle {
    fn meant_cell(&self, cell: Cell, at: Position) -> ResolvedCell {
        match cell {
            Cell::Register { thread, view } => ResolvedCell::Register {
                thread,
                meaning: self.meaning(thread, view, at),
            },
            Cell::Memory { address, len_bytes } => ResolvedCell::Memory { address, len_bytes },
            Cell::Physical { address, len_bytes } => {
                let is_inside = |touched: u64| {
                    touched
                        .checked_sub(address.0)
                        .is_some_and(|place| place < len_bytes)
                };
                let mut events = HashSet::new();
                self.each_physical_byte(|event, physical, _| {
                    if is_inside(physical) {
                        events.insert(std::ptr::from_ref(event));
                    }
                });
                ResolvedCell::Physical(events)
            }
        }
    }

    /// Returns the request for uses of a register cell, if only operands show them.
    fn requested_uses(&self, cell: Cell, kinds: AccessKinds) -> Option<UseQuery> {
        match cell {
            Cell::Register { thread, view }
                if self.has_operands_alone
                    || kinds != AccessKinds::Reads && self.never_names(thread, view) =>
            {
                Some(UseQuery {
                    thread,
                    view,
                    kinds,
                })
            }
            _ => None,
        }
    }

    /// Returns the hit for an event; `None` if no step made it.
    pub(super) fn hit_of(&self, event: &OracleEvent) -> Option<Hit> {
        let mut record = self.record(event.owner?)?;
        record.effects.truncate(HIT_EFFECTS);
        Some(Hit {
            record,
            position: Position(event.slot),
            access: self.access_of(event),
            doubt: None,
        })
    }
}

impl Replay for AccessesOf {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Hit>> {
        oracle.check(self.from)?;
        let (start, length) = (self.range.address.0, self.range.len_bytes);
        let events = oracle
            .events_after(self.from)
            .iter()
            .filter(|event| match &event.kind {
                OracleEventKind::Access(access) => {
                    let is_wanted = match self.kinds {
                        AccessKinds::Reads => access.is_read(),
                        AccessKinds::Writes => !access.is_read(),
                        AccessKinds::All => true,
                    };
                    let is_inside =
                        |byte: u64| byte.checked_sub(start).is_some_and(|place| place < length);
                    is_wanted && access.each_byte().any(|(byte, _)| is_inside(byte))
                }
                _ => false,
            });
        let own = events.filter(|event| self.thread.is_none_or(|thread| thread == event.thread));
        let hits = own.filter_map(|event| oracle.hit_of(event));
        Some(
            after_known(hits, self.skip, |hit| hit.position)
                .take(self.limit)
                .collect(),
        )
    }
}

impl Replay for PageHeat {
    /// Suitable for traces of few pages.
    fn replay(&self, oracle: &Oracle) -> Option<HeatMap> {
        oracle.check(self.from.max(self.to))?;
        let (buckets, mut pages) = (self.buckets.max(1), BTreeMap::new());
        let steps = self.to.0.saturating_sub(self.from.0).max(1);
        let is_between = |slot: u64| slot <= self.to.0 && (slot > self.from.0 || self.from.0 == 0);
        for event in oracle.events.iter().filter(|event| is_between(event.slot)) {
            let OracleEventKind::Access(access) = &event.kind else {
                continue;
            };
            let part = event.slot.saturating_sub(self.from.0 + 1) * buckets as u64 / steps;
            let touched: BTreeSet<u64> = access.each_byte().map(|(byte, _)| byte / 4096).collect();
            for page in touched {
                let page = pages
                    .entry(page)
                    .or_insert_with(|| [vec![0; buckets], vec![0; buckets]]);
                page[usize::from(access.kind == AccessKind::Write)][part as usize] += 1;
            }
        }
        let hot_page = |(page, [reads, writes]): (u64, [Vec<u32>; 2])| HotPage {
            first: Address(page * 4096),
            reads,
            writes,
        };
        Some(HeatMap {
            page_bytes: 4096,
            pages: pages.into_iter().map(hot_page).collect(),
        })
    }
}

/// Removes the first `skip` results at the first position with results.
pub(super) fn after_known<T>(
    found: impl Iterator<Item = T>,
    skip: usize,
    position: impl Fn(&T) -> Position,
) -> impl Iterator<Item = T> {
    let mut found = found.peekable();
    let first = found.peek().map(&position);
    let mut left = skip;
    found.filter(move |hit| {
        let is_passed_over = left > 0 && Some(position(hit)) == first;
        left -= usize::from(is_passed_over);
        !is_passed_over
    })
}

impl Replay for ExternalChanges {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<ExternalChange>> {
        oracle.check(self.at)?;
        let here = oracle.events_until(self.at).len();
        let places: Vec<usize> = match self.direction {
            Direction::Back => (0..here).rev().collect(),
            Direction::Forward => (here..oracle.events.len()).collect(),
        };
        let is_by = |change: &ExternalChange| {
            self.thread
                .is_none_or(|thread| change.hit.record.thread == thread)
        };
        let found = places
            .into_iter()
            .filter_map(|place| oracle.external_change(place, self.range))
            .filter(is_by);
        let found = after_known(found, self.skip, |change| change.hit.position);
        Some(found.take(self.limit).collect())
    }
}

impl Oracle {
    /// Returns the event as an external change of a range, if it is one.
    fn external_change(&self, place: usize, range: Option<MemoryRange>) -> Option<ExternalChange> {
        let event = self.events.get(place)?;
        let OracleEventKind::Access(access) = &event.kind else {
            return None;
        };
        let is_inside = |address: &u64| match range {
            Some(range) => address
                .checked_sub(range.address.0)
                .is_some_and(|offset| offset < range.len_bytes),
            None => true,
        };
        if !access.contradicting.iter().any(is_inside) {
            return None;
        }
        let bytes = access.each_byte().filter_map(|(_, value)| value).collect();
        let known_before = access
            .each_byte()
            .map(|(address, _)| self.known_before(place, address))
            .collect();
        Some(ExternalChange {
            hit: self.hit_of(event)?,
            address: access.address,
            bytes,
            known_before,
        })
    }

    /// Returns the value of a byte as known from the previous events.
    fn known_before(&self, place: usize, address: u64) -> Option<u8> {
        let mut state = crate::answers::value::ByteState::default();
        let earlier: &[OracleEvent] = self.events.get(..place).unwrap_or_default();
        earlier
            .iter()
            .for_each(|event| crate::oracle::memory::follow(&mut state, event, address));
        state.value
    }
}
