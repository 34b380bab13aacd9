//! The last and next access of a cell.

use std::collections::HashSet;

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Line, Position};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::accesses_at::{Accessed, AccessesAt};
use crate::answers::cell::Cell;
use crate::answers::hit::{Doubt, HIT_EFFECTS, Hit};
use crate::answers::thread::ThreadId;
use crate::oracle::banks::{Certainty, Meaning};
use crate::oracle::event::{Event, EventKind};
use crate::oracle::operands::{AskedUses, Done, Use};
use crate::oracle::record::{Oracle, Replay};
use crate::query::access::{LastAccess, LastAccessAnswer, LastAccesses, NextAccess, NextAccesses};

impl Replay for LastAccess {
    fn replay(&self, oracle: &Oracle) -> Option<LastAccessAnswer> {
        oracle.check(self.before)?;
        if let Some(asked) = oracle.asked_uses(self.cell, self.kinds) {
            let last = oracle
                .uses(asked)
                .rev()
                .find(|used| used.step.after() <= self.before);
            let last = last.map(|Use { step, doubt }| {
                let done = Done {
                    thread: asked.thread,
                    slot: step.after().0,
                };
                let restored = || oracle.restored(done, self.before);
                let doubt =
                    doubt.or_else(|| (self.kinds != AccessKinds::Reads).then(restored).flatten());
                Use {
                    step,
                    doubt: doubt.or_else(|| oracle.filtered(self.before)),
                }
            });
            let hit = last.and_then(|last| oracle.use_hit(asked, last));
            return Some(hit.map_or(LastAccessAnswer::Never, |hit| {
                LastAccessAnswer::Step(Box::new(hit))
            }));
        }
        if let Some(asked) = decoded_uses(self.cell, self.kinds) {
            let reads = oracle.decoded_reads(asked, self.before)?;
            let last = reads
                .iter()
                .rev()
                .find(|read| read.used.step.after() <= self.before);
            let hit = last.and_then(|read| oracle.read_hit(asked, read));
            return Some(hit.map_or(LastAccessAnswer::Never, |hit| {
                LastAccessAnswer::Step(Box::new(hit))
            }));
        }
        let cell = oracle.meant_cell(self.cell, self.before);
        let mut events = oracle.events_until(self.before).iter().rev();
        let Some(event) = events.find(|event| accesses(event, &cell, self.kinds)) else {
            return Some(LastAccessAnswer::Never);
        };
        Some(match oracle.hit_of(event) {
            Some(hit) => {
                let is_last_write = self.kinds == AccessKinds::Writes
                    && !matches!(self.cell, Cell::Register { .. });
                let done = Done {
                    thread: event.thread,
                    slot: event.slot,
                };
                let doubt = is_last_write
                    .then(|| oracle.overtaken(done, self.before))
                    .flatten()
                    .or(bank_doubt(event, &cell));
                LastAccessAnswer::Step(Box::new(Hit { doubt, ..hit }))
            }
            None => LastAccessAnswer::Initial(Line(event.line + 1)),
        })
    }
}

impl Replay for LastAccesses {
    fn replay(&self, oracle: &Oracle) -> Option<Option<AccessesAt>> {
        if oracle.asked_uses(self.cell, self.kinds).is_some()
            || decoded_uses(self.cell, self.kinds).is_some()
        {
            // Instructions tell of one use a step.
            let last = LastAccess {
                cell: self.cell,
                kinds: self.kinds,
                before: self.before,
            }
            .replay(oracle)?;
            let LastAccessAnswer::Step(hit) = last else {
                return Some(None);
            };
            return Some(Some(AccessesAt {
                position: hit.position,
                accesses: vec![Accessed::Step(hit)],
            }));
        }
        oracle.check(self.before)?;
        let cell = oracle.meant_cell(self.cell, self.before);
        let events = oracle.events_until(self.before).iter().rev();
        let meant: Vec<&Event> = events
            .filter(|event| {
                accesses(event, &cell, self.kinds) && is_of_thread(event, self.cell, self.thread)
            })
            .collect();
        let part = Part {
            skip: self.skip,
            limit: self.limit,
        };
        let same = part.of(&meant, |event| event.slot);
        let Some(slot) = same.first().map(|event| event.slot) else {
            return Some(None);
        };
        let accesses = same.iter().map(|event| match oracle.hit_of(event) {
            Some(hit) => {
                let doubt = doubt_of(self, oracle, event).or(bank_doubt(event, &cell));
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

/// Why a write that was found may not be the last.
fn doubt_of(asked: &LastAccesses, oracle: &Oracle, event: &Event) -> Option<Doubt> {
    let is_told = !matches!(event.kind, EventKind::HostWrite { .. });
    let is_write =
        asked.kinds == AccessKinds::Writes && !matches!(asked.cell, Cell::Register { .. });
    let done = Done {
        thread: event.thread,
        slot: event.slot,
    };
    (is_told && is_write)
        .then(|| oracle.overtaken(done, asked.before))
        .flatten()
}

impl Replay for NextAccesses {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Hit>> {
        if oracle.asked_uses(self.cell, self.kinds).is_some()
            || decoded_uses(self.cell, self.kinds).is_some()
        {
            let next = NextAccess {
                cell: self.cell,
                kinds: self.kinds,
                from: self.from,
            }
            .replay(oracle)?;
            return Some(next.into_iter().collect());
        }
        oracle.check(self.from)?;
        let cell = oracle.meant_cell(self.cell, self.from);
        let events = oracle.events_after(self.from).iter();
        let meant = events
            .filter(|event| {
                accesses(event, &cell, self.kinds) && is_of_thread(event, self.cell, self.thread)
            })
            .filter_map(|event| {
                Some(Hit {
                    doubt: bank_doubt(event, &cell),
                    ..oracle.hit_of(event)?
                })
            });
        let hits: Vec<Hit> = meant.collect();
        let part = Part {
            skip: self.skip,
            limit: self.limit,
        };
        Some(part.of(&hits, |hit| hit.position.0).to_vec())
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

impl Replay for NextAccess {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Hit>> {
        oracle.check(self.from)?;
        if let Some(asked) = oracle.asked_uses(self.cell, self.kinds) {
            let next = oracle
                .uses(asked)
                .find(|used| used.step.before() >= self.from);
            let next = next.map(|used| Use {
                doubt: used.doubt.or_else(|| oracle.filtered(self.from)),
                ..used
            });
            return Some(next.and_then(|next| oracle.use_hit(asked, next)));
        }
        if let Some(asked) = decoded_uses(self.cell, self.kinds) {
            let reads = oracle.decoded_reads(asked, self.from)?;
            let next = reads
                .iter()
                .find(|read| read.used.step.before() >= self.from);
            return Some(next.and_then(|read| oracle.read_hit(asked, read)));
        }
        let events = oracle.events_after(self.from).iter();
        let cell = oracle.meant_cell(self.cell, self.from);
        let mut accesses = events.filter(|event| accesses(event, &cell, self.kinds));
        Some(accesses.find_map(|event| {
            Some(Hit {
                doubt: bank_doubt(event, &cell),
                ..oracle.hit_of(event)?
            })
        }))
    }
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
