//! Forward slice from a cell: step by step, byte by byte.

use std::collections::{BTreeSet, HashMap, HashSet};

use stepback_machine::flow::FlowKind;
use stepback_machine::{AccessKind, Mode, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{AccessKinds, Cell, ThreadId};
use crate::answers::slice::{
    Edge, EdgeKinds, SliceCell, SliceDefinition, SliceEnd, SliceEndKind, SliceRow, SliceStep,
    SliceUse,
};
use crate::answers::step_record::{CellAccess, Doubt};
use crate::oracle::banks::PhysicalRegister;
use crate::oracle::event::OracleEventKind;
use crate::oracle::record::{Oracle, Replay};
use crate::oracle::slice::exceptions::plain_of;
use crate::oracle::slice::fates::HeldCell;
use crate::oracle::slice::flow::OracleInput;
use crate::oracle::slice::walk::{CellOrigin, memory};
use crate::oracle::slice::writers::{ByteOrigin, ByteWriter, WriteMethod, covers};
use crate::query::access::NearestAccess;
use crate::query::slice::queries::SliceQuery;

impl Oracle {
    /// Returns the rows of a forward slice. Rows beyond the limit are dropped.
    pub(super) fn forward_slice(&self, query: &SliceQuery) -> Option<Vec<SliceRow>> {
        let (oracle, SliceQuery { cell, at, .. }) = (self, *query);
        let is_flags =
            matches!(cell, Cell::Register { view, .. } if view.register == RegisterId::PSR);
        let kinds = EdgeKinds {
            flags: query.edges.flags || is_flags,
            ..query.edges
        };
        let mut onward = ForwardSlice {
            oracle,
            kinds,
            holders: Vec::new(),
            rows: Vec::new(),
        };
        for (cell, found) in oracle.writers_at(cell, at)? {
            let held = oracle.held_at(cell, at);
            let key = oracle.key(cell, found, oracle.named(cell, held.register));
            onward.holders.push(ValueHolder {
                key,
                from: None,
                held,
            });
            onward.holders.extend(oracle.copy_in_frame(cell, found, at));
        }
        (at.0..oracle.step_count()).for_each(|step| onward.go_into(Step(step)));
        let mut ends = onward.ends();
        if onward.rows.is_empty() && ends.is_empty() && !onward.holders.is_empty() {
            let next = NearestAccess::next(cell, AccessKinds::Writes, at);
            let by = next.replay(oracle)?.and_then(CellAccess::into_hit);
            let by = by.map(|hit| hit.record.step);
            ends.push(SliceEnd {
                end: SliceEndKind::Overwritten { by },
                cell: oracle.slice_cell(cell)?,
                wanted_by: vec![SliceUse {
                    step: None,
                    edge: Edge::Data,
                }],
                doubt: None,
            });
        }
        onward.rows.truncate(query.limit);
        let rows = onward.rows.into_iter().map(SliceRow::Step);
        Some(rows.chain(ends.into_iter().map(SliceRow::End)).collect())
    }

    /// Returns the queried cell as one of a slice; none for untraced kinds.
    fn slice_cell(&self, cell: Cell) -> Option<SliceCell> {
        Some(match cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                let bits = self.instruction_set(thread).flag_bits();
                SliceCell::Flags { thread, bits }
            }
            Cell::Register { thread, view } => SliceCell::Register { thread, view },
            Cell::Memory { address, len_bytes } => SliceCell::Memory { address, len_bytes },
            Cell::Physical { .. } => return None,
        })
    }
}

/// Definition of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteDefiner {
    Event(usize),
    Cleared(usize),
    Operands(Step),
    Nobody(SliceEndKind),
}

/// A byte, identified by its definition.
#[derive(Clone, Copy)]
struct DefinedByte {
    giver: ByteDefiner,
    /// The register; `None` if the event determines it, because it may have several names.
    register: Option<PlainRegister>,
    /// Thread of the register or flag; `None` for memory.
    thread: Option<ThreadId>,
    place: u64,
}

impl DefinedByte {
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
struct PlainRegister {
    plain: RegisterId,
    physical: PhysicalRegister,
}

impl PlainRegister {
    /// Returns true if two registers are equal, or may be because a mode is unknown.
    fn may_be(self, other: Self) -> bool {
        let is_open = [self, other]
            .iter()
            .any(|named| matches!(named.physical, PhysicalRegister::Some(_)));
        self.physical == other.physical || is_open && self.plain == other.plain
    }
}

/// A byte that holds the value.
struct ValueHolder {
    key: DefinedByte,
    /// Defining step; `None` for the queried cell.
    from: Option<Step>,
    held: HeldCell,
}

struct ForwardSlice<'a> {
    oracle: &'a Oracle,
    kinds: EdgeKinds,
    holders: Vec<ValueHolder>,
    rows: Vec<SliceStep>,
}

/// Dependences of a step on the value.
#[derive(Default)]
struct ForwardRow {
    wanted_by: BTreeSet<SliceUse>,
    doubt: Option<Doubt>,
}

impl ForwardSlice<'_> {
    fn go_into(&mut self, step: Step) {
        let Some(stated) = self.oracle.step(step) else {
            return;
        };
        let (mut reached, mut defines) = (ForwardRow::default(), Vec::new());
        let mut known: HashMap<OracleInput, Vec<CellOrigin>> = HashMap::new();
        let made = self.oracle.made_by_step(step);
        for (made, cell) in made.iter().copied() {
            let into = self.oracle.ingredients(made, cell, self.kinds);
            // Each byte is checked separately: the step may define only some of them from the
            // value.
            if self.takes(step, &into.taken, &mut known, &mut reached) {
                defines.push((made, cell));
            }
        }
        let done = self.oracle.done(stated);
        let is_reading =
            done.is_some_and(|known| made.is_empty() || known.control.flow != FlowKind::Next);
        if defines.is_empty() && is_reading {
            let decided_by = self.oracle.decided_by(step, self.kinds);
            self.takes(step, &decided_by, &mut known, &mut reached);
        }
        if reached.wanted_by.is_empty() {
            return;
        }
        let value = |(made, cell): &(ByteWriter, SliceCell)| self.oracle.value_of(made.how, *cell);
        let defined = |made: &(ByteWriter, SliceCell)| SliceDefinition::new(made.1, value(made));
        let (thread, doubt) = (stated.thread, reached.doubt);
        let wanted_by = reached.wanted_by.into_iter().collect();
        let row = SliceStep {
            step,
            thread,
            defines: defines.iter().map(defined).collect(),
            wanted_by,
            doubt,
            detail: None,
        };
        self.rows.push(row);
        for (made, cell) in defines {
            let held = self.oracle.held_by(made, cell);
            let key = self.oracle.key(
                cell,
                ByteOrigin::Made(made),
                self.oracle.named(cell, held.register),
            );
            self.holders.push(ValueHolder {
                key,
                from: Some(step),
                held,
            });
        }
    }

    /// Returns true if an input of the step holds the value.
    fn takes(
        &self,
        step: Step,
        taken: &[(OracleInput, Edge)],
        known: &mut HashMap<OracleInput, Vec<CellOrigin>>,
        reached: &mut ForwardRow,
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
                reached.wanted_by.insert(SliceUse {
                    step: holder.from,
                    edge: *edge,
                });
                if let ByteOrigin::Made(made) = found {
                    reached.doubt = reached.doubt.or(made.doubt);
                }
            }
        }
        is_any
    }

    fn ends(&self) -> Vec<SliceEnd> {
        let mut ends = HashSet::new();
        for ValueHolder { from, held, .. } in &self.holders {
            let found = self.oracle.ends_of_held(*held, self.kinds);
            ends.extend(found.into_iter().map(|end| (end, held.cell, *from)));
        }
        let by = |step| {
            vec![SliceUse {
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
    /// Returns the key of a byte, given its definition and the register of its name.
    fn key(
        &self,
        cell: SliceCell,
        found: ByteOrigin,
        register: Option<PlainRegister>,
    ) -> DefinedByte {
        let (giver, named) = match found {
            ByteOrigin::Nobody(end, _) => (ByteDefiner::Nobody(end), register),
            ByteOrigin::Made(ByteWriter { step, how, .. }) => match how {
                WriteMethod::Recorded(event) | WriteMethod::Doubtful(event) => {
                    (ByteDefiner::Event(event), None)
                }
                WriteMethod::Cleared(event) => (ByteDefiner::Cleared(event), None),
                // An unknown instruction may have written the register.
                WriteMethod::Operands(RegisterId::PC) => (ByteDefiner::Operands(step), register),
                WriteMethod::Operands(RegisterId::PSR) => (ByteDefiner::Operands(step), None),
                WriteMethod::Operands(named) => {
                    let mode = self
                        .step(step)
                        .map(|stated| stated.mode)
                        .unwrap_or_default();
                    (
                        ByteDefiner::Operands(step),
                        Some(PlainRegister {
                            plain: named,
                            physical: PhysicalRegister::of_write(named, None, mode),
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
        DefinedByte {
            giver,
            register: named,
            thread,
            place,
        }
    }

    /// Returns the memory byte in which an exception stored a register byte that its step wrote in
    /// the slot of a position.
    fn copy_in_frame(
        &self,
        cell: SliceCell,
        found: ByteOrigin,
        at: Position,
    ) -> Option<ValueHolder> {
        let (SliceCell::Register { view, .. }, ByteOrigin::Made(made)) = (cell, found) else {
            return None;
        };
        let WriteMethod::Recorded(event) = made.how else {
            return None;
        };
        let OracleEventKind::Register(written) = &self
            .events
            .get(event)
            .filter(|event| event.slot == at.0)?
            .kind
        else {
            return None;
        };
        let stated = self.step(made.step)?;
        let exception = self.exception_of(made.step, stated, self.done(stated).as_ref())?;
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
            Some(OracleEventKind::Access(access)) => {
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
            Some(OracleEventKind::Register(known)) => {
                known.physical == written.physical && covers(known.view, view.offset)
            }
            _ => false,
        };
        before.filter(is_written).last()?;
        let cell = memory(address);
        let made = ByteWriter {
            how: WriteMethod::Recorded(store),
            ..made
        };
        let held = HeldCell {
            cell,
            register: None,
            event: self.events_until(at).len(),
            step: at.0,
        };
        Some(ValueHolder {
            key: self.key(cell, ByteOrigin::Made(made), None),
            from: None,
            held,
        })
    }

    fn named(&self, cell: SliceCell, physical: Option<PhysicalRegister>) -> Option<PlainRegister> {
        let SliceCell::Register { view, .. } = cell else {
            return None;
        };
        let plain = self
            .bank_of(view.register)
            .map_or(view.register, |bank| bank.plain.register);
        physical.map(|physical| PlainRegister { plain, physical })
    }

    fn register_of(&self, cell: SliceCell, mode: Mode) -> Option<PhysicalRegister> {
        match cell {
            SliceCell::Register { view, .. } => Some(PhysicalRegister::of_write(
                view.register,
                self.bank_of(view.register),
                mode,
            )),
            SliceCell::Flags { .. } | SliceCell::Memory { .. } => None,
        }
    }

    /// Returns the mode that determines the names in a step.
    fn mode_before(&self, step: Step) -> Mode {
        let Some(stated) = self.step(step) else {
            return Mode::Other;
        };
        match (self.mode_of_step(step, stated), self.has_operands_alone) {
            (Mode::Other, true) => self.mode_ahead(stated.thread, Position(step.0)),
            (Mode::Other, false) => self.mode_at(stated.thread, Position(step.0)),
            (mode, _) => mode,
        }
    }

    /// Returns the state of a cell that holds the value at a position.
    fn held_at(&self, cell: SliceCell, at: Position) -> HeldCell {
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
        HeldCell {
            cell,
            register,
            event: self.events_until(at).len(),
            step: at.0,
        }
    }

    /// Returns the state of a cell that holds the value since a step defined it.
    fn held_by(&self, made: ByteWriter, cell: SliceCell) -> HeldCell {
        let mode = self
            .step(made.step)
            .map(|stated| stated.mode)
            .unwrap_or_default();
        let (event, register) = match made.how {
            WriteMethod::Recorded(event)
            | WriteMethod::Doubtful(event)
            | WriteMethod::Cleared(event) => (event + 1, None),
            WriteMethod::Operands(named) => {
                (0, Some(PhysicalRegister::of_write(named, None, mode)))
            }
        };
        let written = event
            .checked_sub(1)
            .and_then(|event| match &self.events.get(event)?.kind {
                OracleEventKind::Register(written) => Some(written.physical),
                _ => None,
            });
        HeldCell {
            cell,
            register: written.or(register),
            event,
            step: made.step.0 + 1,
        }
    }
}
