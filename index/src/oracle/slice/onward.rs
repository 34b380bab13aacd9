//! From a cell on to where its value goes: step by step, byte by byte.

use std::collections::{BTreeSet, HashMap, HashSet};

use stepback_machine::{AccessKind, Flow, Mode, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::accesses_at::Accessed;
use crate::answers::cell::Cell;
use crate::answers::hit::Doubt;
use crate::answers::slice::{
    Defined, Edge, EdgeKinds, End, SliceCell, SliceEnd, SliceRow, SliceStep, WantedBy,
};
use crate::answers::thread::ThreadId;
use crate::oracle::banks::Physical;
use crate::oracle::event::EventKind;
use crate::oracle::record::{Oracle, Replay};
use crate::oracle::slice::exceptions::plain_of;
use crate::oracle::slice::fates::Held;
use crate::oracle::slice::flow::Taken;
use crate::oracle::slice::takings::{FoundByte, memory};
use crate::oracle::slice::writers::{Found, How, Made, covers};
use crate::query::access::NearestAccess;
use crate::query::slice::influence::Influence;

/// Names its cells byte by byte, and flags one by one. What the limit leaves out it does not tell.
impl Replay for Influence {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<SliceRow>> {
        oracle.check(self.at)?;
        let is_flags =
            matches!(self.cell, Cell::Register { view, .. } if view.register == RegisterId::PSR);
        let kinds = EdgeKinds {
            flags: self.edges.flags || is_flags,
            ..self.edges
        };
        let mut onward = Onward {
            oracle,
            kinds,
            holders: Vec::new(),
            rows: Vec::new(),
        };
        for (cell, found) in oracle.writers_at(self.cell, self.at)? {
            let held = oracle.held_at(cell, self.at);
            let key = oracle.key(cell, found, oracle.named(cell, held.register));
            onward.holders.push(Holder {
                key,
                from: None,
                held,
            });
            onward
                .holders
                .extend(oracle.copy_in_frame(cell, found, self.at));
        }
        (self.at.0..oracle.step_count()).for_each(|step| onward.go_into(Step(step)));
        let mut ends = onward.ends();
        if onward.rows.is_empty() && ends.is_empty() && !onward.holders.is_empty() {
            let next = NearestAccess::next(self.cell, AccessKinds::Writes, self.at);
            let by = next.replay(oracle)?.and_then(Accessed::into_hit);
            let by = by.map(|hit| hit.record.step);
            ends.extend(
                self.overwritten_by(by, |thread| oracle.instruction_set(thread).flag_bits()),
            );
        }
        onward.rows.truncate(self.limit);
        let rows = onward.rows.into_iter().map(SliceRow::Step);
        Some(rows.chain(ends.into_iter().map(SliceRow::End)).collect())
    }
}

/// By what a byte got its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Giver {
    Event(usize),
    Cleared(usize),
    Operands(Step),
    Nobody(End),
}

/// A byte by who gave it its value.
#[derive(Clone, Copy)]
struct Key {
    giver: Giver,
    /// Which register it is; none where the event says that: it may have several names.
    register: Option<Named>,
    /// Whose; nobody's of memory.
    thread: Option<ThreadId>,
    place: u64,
}

impl Key {
    fn is_same(self, other: Self) -> bool {
        let is_register = match (self.register, other.register) {
            (Some(one), Some(other)) => one.may_be(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_register
            && (self.giver, self.thread, self.place) == (other.giver, other.thread, other.place)
    }
}

/// A register by its plain name.
#[derive(Clone, Copy)]
struct Named {
    plain: RegisterId,
    physical: Physical,
}

impl Named {
    /// Whether two registers are one, or may be because a mode does not tell.
    fn may_be(self, other: Self) -> bool {
        let is_open = [self, other]
            .iter()
            .any(|named| matches!(named.physical, Physical::Some(_)));
        self.physical == other.physical || is_open && self.plain == other.plain
    }
}

/// A byte that holds the value.
struct Holder {
    key: Key,
    /// The step that gave it; none for the cell of the question.
    from: Option<Step>,
    held: Held,
}

struct Onward<'a> {
    oracle: &'a Oracle,
    kinds: EdgeKinds,
    holders: Vec<Holder>,
    rows: Vec<SliceStep>,
}

/// What a step has of the value.
#[derive(Default)]
struct Reached {
    wanted_by: BTreeSet<WantedBy>,
    doubt: Option<Doubt>,
}

impl Onward<'_> {
    fn go_into(&mut self, step: Step) {
        let Some(told) = self.oracle.step(step) else {
            return;
        };
        let (mut reached, mut defines) = (Reached::default(), Vec::new());
        let mut known: HashMap<Taken, Vec<FoundByte>> = HashMap::new();
        let made = self.oracle.made_by_step(step);
        for (made, cell) in made.iter().copied() {
            let into = self.oracle.ingredients(made, cell, self.kinds);
            // Each byte of its own is one that a step may take from.
            if self.takes(step, &into.taken, &mut known, &mut reached) {
                defines.push((made, cell));
            }
        }
        let done = self.oracle.done(told);
        let is_reading =
            done.is_some_and(|known| made.is_empty() || known.control.flow != Flow::Next);
        if defines.is_empty() && is_reading {
            let decided_by = self.oracle.decided_by(step, self.kinds);
            self.takes(step, &decided_by, &mut known, &mut reached);
        }
        if reached.wanted_by.is_empty() {
            return;
        }
        let value = |(made, cell): &(Made, SliceCell)| self.oracle.value_of(made.how, *cell);
        let defined = |made: &(Made, SliceCell)| Defined::new(made.1, value(made));
        let (thread, doubt) = (told.thread, reached.doubt);
        let wanted_by = reached.wanted_by.into_iter().collect();
        let row = SliceStep {
            step,
            thread,
            defines: defines.iter().map(defined).collect(),
            wanted_by,
            doubt,
        };
        self.rows.push(row);
        for (made, cell) in defines {
            let held = self.oracle.held_by(made, cell);
            let key = self.oracle.key(
                cell,
                Found::Made(made),
                self.oracle.named(cell, held.register),
            );
            self.holders.push(Holder {
                key,
                from: Some(step),
                held,
            });
        }
    }

    /// Whether something of what a step takes in holds the value.
    fn takes(
        &self,
        step: Step,
        taken: &[(Taken, Edge)],
        known: &mut HashMap<Taken, Vec<FoundByte>>,
        reached: &mut Reached,
    ) -> bool {
        let mut is_any = false;
        for (taken, edge) in taken {
            for (cell, found) in known
                .entry(*taken)
                .or_insert_with(|| self.oracle.writers_of(step, *taken))
            {
                let register = self
                    .oracle
                    .register_of(*cell, self.oracle.mode_before(step));
                let key = self
                    .oracle
                    .key(*cell, *found, self.oracle.named(*cell, register));
                let Some(holder) = self.holders.iter().find(|holder| holder.key.is_same(key))
                else {
                    continue;
                };
                is_any = true;
                reached.wanted_by.insert(WantedBy {
                    step: holder.from,
                    edge: *edge,
                });
                if let Found::Made(made) = found {
                    reached.doubt = reached.doubt.or(made.doubt);
                }
            }
        }
        is_any
    }

    fn ends(&self) -> Vec<SliceEnd> {
        let mut ends = HashSet::new();
        for Holder { from, held, .. } in &self.holders {
            let found = self.oracle.ends_of_held(*held, self.kinds);
            ends.extend(found.into_iter().map(|end| (end, held.cell, *from)));
        }
        let by = |step| {
            vec![WantedBy {
                step,
                edge: Edge::Data,
            }]
        };
        ends.into_iter()
            .map(|(end, cell, from)| SliceEnd {
                end,
                cell,
                wanted_by: by(from),
                doubt: None,
            })
            .collect()
    }
}

impl Oracle {
    /// A byte that a name means which is a register, by who gave it its value.
    fn key(&self, cell: SliceCell, found: Found, register: Option<Named>) -> Key {
        let (giver, named) = match found {
            Found::Nobody(end, _) => (Giver::Nobody(end), register),
            Found::Made(Made { step, how, .. }) => match how {
                How::Recorded(event) | How::Doubtful(event) => (Giver::Event(event), None),
                How::Cleared(event) => (Giver::Cleared(event), None),
                // One that is not known may have written the register that is meant.
                How::Operands(RegisterId::PC) => (Giver::Operands(step), register),
                How::Operands(RegisterId::PSR) => (Giver::Operands(step), None),
                How::Operands(named) => {
                    let mode = self.step(step).map(|told| told.mode).unwrap_or_default();
                    (
                        Giver::Operands(step),
                        Some(Named {
                            plain: named,
                            physical: Physical::of_write(named, None, mode),
                        }),
                    )
                }
            },
        };
        let (thread, place) = match cell {
            SliceCell::Register { thread, view } => (Some(thread), u64::from(view.offset)),
            SliceCell::Flags { thread, bits } => (Some(thread), bits),
            SliceCell::Memory { address, .. } => (None, address.0),
        };
        Key {
            giver,
            register: named,
            thread,
            place,
        }
    }

    /// The byte of memory in which an exception stored a byte of a register that its step wrote in the slot of a position.
    fn copy_in_frame(&self, cell: SliceCell, found: Found, at: Position) -> Option<Holder> {
        let (SliceCell::Register { view, .. }, Found::Made(made)) = (cell, found) else {
            return None;
        };
        let How::Recorded(event) = made.how else {
            return None;
        };
        let EventKind::Register(written) = &self
            .events
            .get(event)
            .filter(|event| event.slot == at.0)?
            .kind
        else {
            return None;
        };
        let told = self.step(made.step)?;
        let exception = self.exception_of(made.step, told, self.done(told).as_ref())?;
        let address = exception.flow.stored.as_ref()?.address_of(RegisterView {
            register: plain_of(written),
            ..view
        })?;
        let mut stores = exception
            .events
            .iter()
            .copied()
            .filter(|number| exception.is_access(*number));
        let has_byte = |number: &usize| match self.events.get(*number).map(|event| &event.kind) {
            Some(EventKind::Access(access)) => {
                access.kind == AccessKind::Write
                    && access.each_byte().any(|(touched, _)| touched == address)
            }
            _ => false,
        };
        let store = stores.rfind(has_byte)?;
        // The register may be written again after its store: then an earlier write counts.
        let before = exception
            .events
            .iter()
            .copied()
            .take_while(|number| *number < store);
        let is_written = |number: &usize| match self.events.get(*number).map(|event| &event.kind) {
            Some(EventKind::Register(known)) => {
                known.physical == written.physical && covers(known.view, view.offset)
            }
            _ => false,
        };
        before.filter(is_written).last()?;
        let cell = memory(address);
        let made = Made {
            how: How::Recorded(store),
            ..made
        };
        let held = Held {
            cell,
            register: None,
            event: self.events_until(at).len(),
            step: at.0,
        };
        Some(Holder {
            key: self.key(cell, Found::Made(made), None),
            from: None,
            held,
        })
    }

    fn named(&self, cell: SliceCell, physical: Option<Physical>) -> Option<Named> {
        let SliceCell::Register { view, .. } = cell else {
            return None;
        };
        let plain = self
            .bank_of(view.register)
            .map_or(view.register, |bank| bank.plain.register);
        physical.map(|physical| Named { plain, physical })
    }

    fn register_of(&self, cell: SliceCell, mode: Mode) -> Option<Physical> {
        match cell {
            SliceCell::Register { view, .. } => Some(Physical::of_write(
                view.register,
                self.bank_of(view.register),
                mode,
            )),
            SliceCell::Flags { .. } | SliceCell::Memory { .. } => None,
        }
    }

    /// What names mean to a step.
    fn mode_before(&self, step: Step) -> Mode {
        let Some(told) = self.step(step) else {
            return Mode::Other;
        };
        match (self.mode_of_step(step, told), self.has_operands_alone) {
            (Mode::Other, true) => self.mode_ahead(told.thread, Position(step.0)),
            (Mode::Other, false) => self.mode_at(told.thread, Position(step.0)),
            (mode, _) => mode,
        }
    }

    /// A cell that holds the value at a position.
    fn held_at(&self, cell: SliceCell, at: Position) -> Held {
        let register = match cell {
            SliceCell::Register { thread, .. } | SliceCell::Flags { thread, .. } => {
                let mode = match self.has_operands_alone {
                    true => self.mode_ahead(thread, at),
                    false => self.mode_at(thread, at),
                };
                self.register_of(cell, mode)
            }
            SliceCell::Memory { .. } => None,
        };
        Held {
            cell,
            register,
            event: self.events_until(at).len(),
            step: at.0,
        }
    }

    /// A cell that holds it since a step made it.
    fn held_by(&self, made: Made, cell: SliceCell) -> Held {
        let mode = self
            .step(made.step)
            .map(|told| told.mode)
            .unwrap_or_default();
        let (event, register) = match made.how {
            How::Recorded(event) | How::Doubtful(event) | How::Cleared(event) => (event + 1, None),
            How::Operands(named) => (0, Some(Physical::of_write(named, None, mode))),
        };
        let written = event
            .checked_sub(1)
            .and_then(|event| match &self.events.get(event)?.kind {
                EventKind::Register(written) => Some(written.physical),
                _ => None,
            });
        Held {
            cell,
            register: written.or(register),
            event,
            step: made.step.0 + 1,
        }
    }
}
