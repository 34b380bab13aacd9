//! The last and next access of a cell.

use std::collections::HashSet;

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Line, Position};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::accesses_at::{Accessed, AccessesAt};
use crate::answers::cell::Cell;
use crate::answers::direction::Direction;
use crate::answers::hit::{Doubt, HIT_EFFECTS, Hit};
use crate::answers::thread::ThreadId;
use crate::oracle::banks::{Certainty, Meaning};
use crate::oracle::event::{Event, EventKind};
use crate::oracle::operands::{AskedUses, Done, Use};
use crate::oracle::record::{Oracle, Replay};
use crate::query::access::{Accesses, NearestAccess};

impl Replay for NearestAccess {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Accessed>> {
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
            accesses: vec![Accessed::Step(Box::new(hit))],
        };
        if let Some(asked) = oracle.asked_uses(cell, kinds) {
            let used = self.nearest.use_by_operands(oracle, asked);
            let hit = used.and_then(|used| oracle.use_hit(asked, used));
            return Some(hit.map(of_hit));
        }
        if let Some(asked) = decoded_uses(cell, kinds) {
            let reads = oracle.decoded_reads(asked, at)?;
            let read = match direction {
                Direction::Back => reads.iter().rev().find(|read| read.used.step.after() <= at),
                Direction::Forward => reads.iter().find(|read| read.used.step.before() >= at),
            };
            let hit = read.and_then(|read| oracle.read_hit(asked, read));
            return Some(hit.map(of_hit));
        }
        let meant = oracle.meant_cell(cell, at);
        let counts = |event: &&Event| {
            accesses(event, &meant, kinds) && is_of_thread(event, cell, self.thread)
        };
        let events: Vec<&Event> = match direction {
            Direction::Back => {
                let events = oracle.events_until(at).iter().rev();
                events.filter(counts).collect()
            }
            Direction::Forward => {
                let events = oracle.events_after(at).iter();
                let by_steps = |event: &&Event| event.owner.is_some();
                events.filter(counts).filter(by_steps).collect()
            }
        };
        let part = Part {
            skip: self.skip,
            limit: self.limit,
        };
        let same = part.of(&events, |event| event.slot);
        let Some(slot) = same.first().map(|event| event.slot) else {
            return Some(None);
        };
        let accesses = same.iter().map(|event| match oracle.hit_of(event) {
            Some(hit) => {
                let doubt = self.nearest.doubt(oracle, event);
                let doubt = doubt.or(bank_doubt(event, &meant));
                Accessed::Step(Box::new(Hit { doubt, ..hit }))
            }
            None => Accessed::Initial(Line(event.line + 1)),
        });
        Some(Some(AccessesAt {
            position: Position(slot),
            accesses: accesses.collect(),
        }))
    }
}

impl NearestAccess {
    /// Finds the nearest use that only the operands of instructions show.
    fn use_by_operands(&self, oracle: &Oracle, asked: AskedUses) -> Option<Use> {
        let (at, mut uses) = (self.at, oracle.uses(asked));
        let doubt_at = |used: &Use| used.doubt.or_else(|| oracle.filtered(at));
        let used = match self.direction {
            Direction::Forward => uses.find(|used| used.step.before() >= at)?,
            Direction::Back => {
                let last = uses.rev().find(|used| used.step.after() <= at)?;
                let done = Done {
                    thread: asked.thread,
                    slot: last.step.after().0,
                };
                let restored = || oracle.restored(done, at);
                let is_write = self.kinds != AccessKinds::Reads;
                let doubt = last.doubt.or_else(|| is_write.then(restored).flatten());
                Use { doubt, ..last }
            }
        };
        let doubt = doubt_at(&used);
        Some(Use { doubt, ..used })
    }

    /// Returns why a write that was found may not be the last.
    fn doubt(&self, oracle: &Oracle, event: &Event) -> Option<Doubt> {
        let is_recorded = !matches!(event.kind, EventKind::HostWrite { .. });
        let is_last_write = self.direction == Direction::Back
            && self.kinds == AccessKinds::Writes
            && !matches!(self.cell, Cell::Register { .. });
        let done = Done {
            thread: event.thread,
            slot: event.slot,
        };
        (is_recorded && is_last_write)
            .then(|| oracle.overtaken(done, self.at))
            .flatten()
    }
}

/// So many of what happened in the first slot that has some, behind those that are passed over there.
struct Part {
    skip: usize,
    limit: usize,
}

impl Part {
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

/// Whether an event is by a thread that is meant; a register is of a thread by itself.
fn is_of_thread(event: &Event, cell: Cell, thread: Option<ThreadId>) -> bool {
    matches!(cell, Cell::Register { .. }) || thread.is_none_or(|thread| thread == event.thread)
}

/// The reads of a register: no trace of this kind records them.
fn decoded_uses(cell: Cell, kinds: AccessKinds) -> Option<AskedUses> {
    match cell {
        Cell::Register { thread, view } if kinds == AccessKinds::Reads => Some(AskedUses {
            thread,
            view,
            kinds,
        }),
        _ => None,
    }
}

/// A cell, and which register its name means.
enum MeantCell {
    Register {
        thread: ThreadId,
        meaning: Meaning,
    },
    Memory {
        address: Address,
        len_bytes: u64,
    },
    /// The accesses that went there, by their places in memory of ours.
    Physical(HashSet<*const Event>),
}

/// Why an access of a register may be one of another.
fn bank_doubt(event: &Event, cell: &MeantCell) -> Option<Doubt> {
    let (EventKind::Register(written), MeantCell::Register { meaning, .. }) = (&event.kind, cell)
    else {
        return None;
    };
    (meaning.certainty(written) == Some(Certainty::Doubtful)).then_some(Doubt::Bank)
}

fn accesses(event: &Event, cell: &MeantCell, kinds: AccessKinds) -> bool {
    match (&event.kind, cell) {
        (EventKind::Register(written), MeantCell::Register { thread, meaning }) => {
            event.thread == *thread && meaning.certainty(written).is_some()
        }
        (EventKind::Access(access), MeantCell::Memory { address, len_bytes }) => {
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
        (EventKind::Access(access), MeantCell::Physical(events)) => {
            let is_read = access.kind == AccessKind::Read;
            let is_wanted = kinds == AccessKinds::All || is_read == (kinds == AccessKinds::Reads);
            is_wanted && events.contains(&std::ptr::from_ref(event))
        }
        (EventKind::HostWrite { first, last, .. }, MeantCell::Memory { address, len_bytes }) => {
            let is_inside = *len_bytes > 0
                && *first <= address.0.saturating_add(len_bytes - 1)
                && address.0 <= *last;
            kinds != AccessKinds::Reads && is_inside
        }
        _ => false,
    }
}

impl Oracle {
    fn meant_cell(&self, cell: Cell, at: Position) -> MeantCell {
        match cell {
            Cell::Register { thread, view } => MeantCell::Register {
                thread,
                meaning: self.meaning(thread, view, at),
            },
            Cell::Memory { address, len_bytes } => MeantCell::Memory { address, len_bytes },
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
                MeantCell::Physical(events)
            }
        }
    }

    /// The uses of the register that a cell is, where only operands tell of it.
    fn asked_uses(&self, cell: Cell, kinds: AccessKinds) -> Option<AskedUses> {
        match cell {
            Cell::Register { thread, view }
                if self.has_operands_alone
                    || kinds != AccessKinds::Reads && self.never_names(thread, view) =>
            {
                Some(AskedUses {
                    thread,
                    view,
                    kinds,
                })
            }
            _ => None,
        }
    }

    /// An event as the hit of a question; none when no step did it.
    pub(super) fn hit_of(&self, event: &Event) -> Option<Hit> {
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
