//! Backward slice from a cell, as a worklist of bytes and flags. The writer of each is the last
//! event that writes it before the use; for loads, that is before the last load of their step.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use stepback_machine::{AccessKind, Address, Mode, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{Cell, Direction, ThreadId};
use crate::answers::slice::{
    Edge, EdgeKinds, SliceCell, SliceDefinition, SliceEnd, SliceEndKind, SliceRow, SliceStep,
    SliceUse,
};
use crate::answers::step_record::Doubt;
use crate::answers::value::Value;
use crate::oracle::event::OracleEventKind;
use crate::oracle::record::{Oracle, Replay};
use crate::oracle::slice::flow::OracleInput;
use crate::oracle::slice::writers::{ByteOrigin, ByteWriter, WriteMethod, WriterBound};
use crate::query::slice::queries::SliceQuery;

/// Returns cells byte by byte, and flags one by one.
impl Replay for SliceQuery {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<SliceRow>> {
        oracle.check(self.at)?;
        if self.direction == Direction::Forward {
            return oracle.forward_slice(self);
        }
        let mut slice = BackwardSlice::of(oracle, self.edges);
        let by = SliceUse {
            step: None,
            edge: Edge::Data,
        };
        let requested = oracle.writers_at(self.cell, self.at)?;
        requested
            .into_iter()
            .for_each(|(cell, found)| slice.want(cell, found, by));
        slice.follow();
        Some(slice.rows(self.limit))
    }
}

/// A byte that a step defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct BackwardNode {
    step: Step,
    how: WriteMethod,
    cell: SliceCell,
}

/// Collected data of a step.
#[derive(Default)]
struct BackwardRow {
    defines: Vec<SliceDefinition>,
    wanted_by: BTreeSet<SliceUse>,
    doubt: Option<Doubt>,
    taken: HashSet<(OracleInput, Edge)>,
}

struct BackwardSlice<'a> {
    oracle: &'a Oracle,
    kinds: EdgeKinds,
    rows: BTreeMap<Step, BackwardRow>,
    nodes: HashSet<BackwardNode>,
    open: Vec<BackwardNode>,
    ends: HashSet<(SliceEndKind, SliceCell, SliceUse, Option<Doubt>)>,
    /// Uses of cells of each step.
    links: HashSet<(Step, SliceCell, SliceUse)>,
    /// Writers of each input of a step, which several edges may share.
    writers: HashMap<(Step, OracleInput), Vec<CellOrigin>>,
}

impl<'a> BackwardSlice<'a> {
    fn of(oracle: &'a Oracle, kinds: EdgeKinds) -> Self {
        let (rows, nodes, open, ends, links, writers) = Default::default();
        Self {
            oracle,
            kinds,
            rows,
            nodes,
            open,
            ends,
            links,
            writers,
        }
    }

    fn want(&mut self, cell: SliceCell, found: ByteOrigin, by: SliceUse) {
        let ByteWriter { step, how, doubt } = match found {
            ByteOrigin::Made(made) => made,
            ByteOrigin::Nobody(end, doubt) => {
                self.ends.insert((end, cell, by, doubt));
                return;
            }
        };
        self.links.insert((step, cell, by));
        let row = self.rows.entry(step).or_default();
        row.wanted_by.insert(by);
        row.doubt = row.doubt.or(doubt);
        let node = BackwardNode { step, how, cell };
        if self.nodes.insert(node) {
            row.defines
                .push(SliceDefinition::new(cell, self.oracle.value_of(how, cell)));
            self.open.push(node);
        }
    }

    fn follow(&mut self) {
        while let Some(BackwardNode { step, how, cell }) = self.open.pop() {
            let into = self.oracle.ingredients(
                ByteWriter {
                    step,
                    how,
                    doubt: None,
                },
                cell,
                self.kinds,
            );
            let by_step = |edge| SliceUse {
                step: Some(step),
                edge,
            };
            self.ends.extend(
                into.ends
                    .into_iter()
                    .map(|end| (end, cell, by_step(Edge::Data), None)),
            );
            for (taken, edge) in into.taken {
                if self
                    .rows
                    .entry(step)
                    .or_default()
                    .taken
                    .insert((taken, edge))
                {
                    self.take(step, taken, by_step(edge));
                }
            }
        }
    }

    /// Finds the writers of an input of a step.
    fn take(&mut self, step: Step, taken: OracleInput, by: SliceUse) {
        let oracle = self.oracle;
        let found = self
            .writers
            .entry((step, taken))
            .or_insert_with(|| oracle.writers_of(step, taken))
            .clone();
        found
            .into_iter()
            .for_each(|(cell, found)| self.want(cell, found, by));
    }

    fn rows(self, limit: usize) -> Vec<SliceRow> {
        let Self {
            oracle,
            rows,
            ends,
            links,
            ..
        } = self;
        let shown: Vec<Step> = rows.keys().rev().take(limit).copied().collect();
        let is_shown = |by: &SliceUse| by.step.is_none_or(|step| shown.contains(&step));
        let mut answer = Vec::new();
        for (step, row) in rows.into_iter().rev().take(limit) {
            let thread = oracle
                .step(step)
                .map_or(ThreadId(0), |stated| stated.thread);
            let wanted_by = row.wanted_by.into_iter().collect();
            answer.push(SliceRow::Step(SliceStep {
                step,
                thread,
                defines: row.defines,
                wanted_by,
                doubt: row.doubt,
                detail: None,
            }));
        }
        let left = links
            .into_iter()
            .filter(|(step, ..)| !shown.contains(step))
            .map(|(_, cell, by)| (SliceEndKind::Limit, cell, by, None));
        for (end, cell, by, doubt) in ends
            .into_iter()
            .chain(left)
            .filter(|(_, _, by, _)| is_shown(by))
        {
            answer.push(SliceRow::End(SliceEnd {
                end,
                cell,
                wanted_by: vec![by],
                doubt,
            }));
        }
        answer
    }
}

impl Oracle {
    /// Returns the value of a byte, or the bytes of the status register with only the requested
    /// flag.
    pub(super) fn value_of(&self, how: WriteMethod, cell: SliceCell) -> Value {
        let event = match how {
            WriteMethod::Recorded(event) => self.events.get(event),
            WriteMethod::Cleared(_) => return Value(vec![Some(0)]),
            WriteMethod::Doubtful(_) | WriteMethod::Operands(_) => None,
        };
        let kind = event.map(|event| &event.kind);
        match (cell, kind) {
            (SliceCell::Register { view, .. }, Some(OracleEventKind::Register(written))) => {
                let place = usize::from(view.offset - written.view.offset);
                Value(vec![
                    written
                        .bytes
                        .as_ref()
                        .and_then(|bytes| bytes.get(place).copied()),
                ])
            }
            (SliceCell::Flags { bits, .. }, Some(OracleEventKind::Register(written))) => {
                let byte = |place: usize| {
                    let place = place.checked_sub(usize::from(written.view.offset))?;
                    written.bytes.as_ref()?.get(place).copied()
                };
                let masks = bits.to_le_bytes();
                Value(
                    (0..8)
                        .map(|place| byte(place).map(|byte| byte & masks[place]))
                        .collect(),
                )
            }
            (SliceCell::Memory { address, .. }, Some(OracleEventKind::Access(access))) => {
                let value = access
                    .each_byte()
                    .filter(|(touched, _)| *touched == address.0)
                    .last();
                Value(vec![value.and_then(|(_, value)| value)])
            }
            (SliceCell::Flags { .. }, _) => Value(vec![None; 8]),
            _ => Value(vec![None]),
        }
    }
}

/// A byte or a flag, with its origin.
pub(super) type CellOrigin = (SliceCell, ByteOrigin);

impl Oracle {
    /// Returns the writers of a queried cell; `None` if the index does not support the cell.
    pub(super) fn writers_at(&self, cell: Cell, at: Position) -> Option<Vec<CellOrigin>> {
        Some(match cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                self.flag_writers(thread, self.instruction_set(thread).flag_bits(), at)
            }
            Cell::Register { thread, view } => self.byte_writers(thread, view, at, None),
            Cell::Memory { address, len_bytes } => {
                let before = WriterBound {
                    event: self.events_until(at).len(),
                    taken_by: None,
                };
                let addresses = (0..len_bytes).map_while(|place| address.0.checked_add(place));
                addresses
                    .map(|address| (memory(address), self.memory_writer(address, before, at)))
                    .collect()
            }
            Cell::Physical { .. } => return None,
        })
    }

    /// Returns the writers of an input of a step.
    pub(super) fn writers_of(&self, step: Step, taken: OracleInput) -> Vec<CellOrigin> {
        let Some(stated) = self.step(step) else {
            return Vec::new();
        };
        let (thread, at) = (stated.thread, Position(step.0));
        match taken {
            OracleInput::Register(view) => {
                let mode =
                    Some(self.mode_of_step(step, stated)).filter(|mode| *mode != Mode::Other);
                self.byte_writers(thread, view, at, mode)
            }
            OracleInput::Home(event, offset) => {
                self.home_writer(event, offset, at).into_iter().collect()
            }
            OracleInput::Flags(bits) => self.flag_writers(thread, bits, at),
            OracleInput::Memory(address) => {
                vec![(
                    memory(address),
                    self.memory_writer(address, self.before_loads(step), at),
                )]
            }
        }
    }

    fn byte_writers(
        &self,
        thread: ThreadId,
        view: RegisterView,
        at: Position,
        mode: Option<Mode>,
    ) -> Vec<CellOrigin> {
        let byte = |offset| SliceCell::Register {
            thread,
            view: RegisterView::new(view.register, offset, 1),
        };
        let found = self
            .register_writers(thread, view, at, mode)
            .into_iter()
            .zip(view.offset..);
        found.map(|(found, offset)| (byte(offset), found)).collect()
    }

    fn flag_writers(&self, thread: ThreadId, bits: u64, at: Position) -> Vec<CellOrigin> {
        let flags = (0..64).map(|bit| bits & 1 << bit).filter(|bits| *bits != 0);
        flags
            .map(|bits| {
                (
                    SliceCell::Flags { thread, bits },
                    self.flag_writer(thread, bits, at),
                )
            })
            .collect()
    }

    /// Returns the end of the past of a step's loads: its last load, or the end of its own slot if
    /// that comes later. Stores of others after later steps are not in its past.
    fn before_loads(&self, step: Step) -> WriterBound {
        let end = self.events_until(step.after()).len();
        let is_load = |kind: &OracleEventKind| matches!(kind, OracleEventKind::Access(access) if access.kind == AccessKind::Read);
        let here = self.events.iter().enumerate().take(end);
        let last = here
            .rev()
            .find(|(_, event)| event.owner == Some(step) && is_load(&event.kind));
        WriterBound {
            event: last.map_or(end, |(number, _)| number + 1),
            taken_by: Some(step),
        }
    }
}

/// Returns the cell of a memory byte.
pub(super) fn memory(address: u64) -> SliceCell {
    SliceCell::Memory {
        address: Address(address),
        len_bytes: 1,
    }
}
