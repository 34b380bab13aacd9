//! From a cell back through all that its value comes from.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use stepback_machine::{AccessKind, Address, Mode, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::Cell;
use crate::answers::hit::Doubt;
use crate::answers::slice::{Defined, Edge, EdgeKinds, End, SliceCell, SliceEnd, SliceRow, SliceStep, WantedBy};
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;
use crate::oracle::event::EventKind;
use crate::oracle::record::{Oracle, Replay};
use crate::oracle::slice::flow::Taken;
use crate::oracle::slice::writers::{Before, Found, How, Made};
use crate::query::slice::why::Why;

/// Names its cells byte by byte, and flags one by one.
impl Replay for Why {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<SliceRow>> {
        oracle.check(self.at)?;
        let mut slice = Slice::of(oracle, self.edges);
        let by = WantedBy { step: None, edge: Edge::Data };
        match self.cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                slice.want_flags(thread, oracle.instruction_set(thread).flag_bits(), self.at, by);
            }
            Cell::Register { thread, view } => {
                let found = oracle.register_writers(thread, view, self.at, None);
                slice.want_register(thread, view, found, by);
            }
            Cell::Memory { address, len_bytes } => {
                let event = oracle.events_until(self.at).len();
                let before = Before { event, taken_by: None };
                for address in (0..len_bytes).map_while(|place| address.0.checked_add(place)) {
                    slice.want(memory(address), oracle.memory_writer(address, before, self.at), by);
                }
            }
            Cell::Physical { .. } => return None,
        }
        slice.follow();
        Some(slice.rows(self.limit))
    }
}

/// A byte that a step made.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    step: Step,
    how: How,
    cell: SliceCell,
}

/// What is known of a step.
#[derive(Default)]
struct Row {
    defines: Vec<Defined>,
    wanted_by: BTreeSet<WantedBy>,
    doubt: Option<Doubt>,
    taken: HashSet<(Taken, Edge)>,
}

struct Slice<'a> {
    oracle: &'a Oracle,
    kinds: EdgeKinds,
    rows: BTreeMap<Step, Row>,
    nodes: HashSet<Node>,
    open: Vec<Node>,
    ends: HashSet<(End, SliceCell, WantedBy)>,
    /// Who wants what of which step.
    links: HashSet<(Step, SliceCell, WantedBy)>,
    registers: HashMap<(Step, RegisterView), Vec<Found>>,
}

impl<'a> Slice<'a> {
    fn of(oracle: &'a Oracle, kinds: EdgeKinds) -> Self {
        let (rows, nodes, open, ends, links, registers) = Default::default();
        Self { oracle, kinds, rows, nodes, open, ends, links, registers }
    }

    fn want(&mut self, cell: SliceCell, found: Found, by: WantedBy) {
        let Made { step, how, doubt } = match found {
            Found::Made(made) => made,
            Found::Nobody(end) => {
                self.ends.insert((end, cell, by));
                return;
            }
        };
        self.links.insert((step, cell, by));
        let row = self.rows.entry(step).or_default();
        row.wanted_by.insert(by);
        row.doubt = row.doubt.or(doubt);
        let node = Node { step, how, cell };
        if self.nodes.insert(node) {
            row.defines.push(Defined { cell, value: self.oracle.value_of(node) });
            self.open.push(node);
        }
    }

    fn want_register(&mut self, thread: ThreadId, view: RegisterView, found: Vec<Found>, by: WantedBy) {
        for (found, offset) in found.into_iter().zip(view.offset..) {
            let view = RegisterView::new(view.register, offset, 1);
            self.want(SliceCell::Register { thread, view }, found, by);
        }
    }

    fn want_flags(&mut self, thread: ThreadId, bits: u64, at: Position, by: WantedBy) {
        for bits in (0..64).map(|bit| bits & 1 << bit).filter(|bits| *bits != 0) {
            self.want(SliceCell::Flags { thread, bits }, self.oracle.flag_writer(thread, bits, at), by);
        }
    }

    fn follow(&mut self) {
        while let Some(Node { step, how, cell }) = self.open.pop() {
            let into = self.oracle.ingredients(Made { step, how, doubt: None }, cell, self.kinds);
            let by_step = |edge| WantedBy { step: Some(step), edge };
            self.ends.extend(into.ends.into_iter().map(|end| (end, cell, by_step(Edge::Data))));
            for (taken, edge) in into.taken {
                if self.rows.entry(step).or_default().taken.insert((taken, edge)) {
                    self.take(step, taken, by_step(edge));
                }
            }
        }
    }

    /// Looks for who wrote what a step takes in.
    fn take(&mut self, step: Step, taken: Taken, by: WantedBy) {
        let Some(told) = self.oracle.step(step) else { return };
        let (thread, at) = (told.thread, Position(step.0));
        match taken {
            Taken::Register(view) => {
                let oracle = self.oracle;
                let found = self.registers.entry((step, view)).or_insert_with(|| {
                    let mode = Some(oracle.mode_of_step(step, told)).filter(|mode| *mode != Mode::Other);
                    oracle.register_writers(thread, view, at, mode)
                });
                let found = found.clone();
                self.want_register(thread, view, found, by);
            }
            Taken::Flags(bits) => self.want_flags(thread, bits, at, by),
            Taken::Memory(address) => {
                let before = self.oracle.before_loads(step);
                self.want(memory(address), self.oracle.memory_writer(address, before, at), by);
            }
        }
    }

    fn rows(self, limit: usize) -> Vec<SliceRow> {
        let Self { oracle, rows, ends, links, .. } = self;
        let shown: Vec<Step> = rows.keys().rev().take(limit).copied().collect();
        let is_shown = |by: &WantedBy| by.step.is_none_or(|step| shown.contains(&step));
        let mut answer = Vec::new();
        for (step, row) in rows.into_iter().rev().take(limit) {
            let thread = oracle.step(step).map_or(ThreadId(0), |told| told.thread);
            let wanted_by = row.wanted_by.into_iter().collect();
            answer.push(SliceRow::Step(SliceStep { step, thread, defines: row.defines, wanted_by, doubt: row.doubt }));
        }
        let left =
            links.into_iter().filter(|(step, ..)| !shown.contains(step)).map(|(_, cell, by)| (End::Limit, cell, by));
        for (end, cell, by) in ends.into_iter().chain(left).filter(|(.., by)| is_shown(by)) {
            answer.push(SliceRow::End(SliceEnd { end, cell, wanted_by: vec![by] }));
        }
        answer
    }
}

fn memory(address: u64) -> SliceCell {
    SliceCell::Memory { address: Address(address), len_bytes: 1 }
}

impl Oracle {
    /// What a step loads is what is there at its last load, or at the end of its own slot where that comes later:
    /// what others store behind other steps is not in its past.
    fn before_loads(&self, step: Step) -> Before {
        let end = self.events_until(step.after()).len();
        let is_load = |kind: &EventKind| matches!(kind, EventKind::Access(access) if access.kind == AccessKind::Read);
        let here = self.events.iter().enumerate().take(end);
        let last = here.rev().find(|(_, event)| event.owner == Some(step) && is_load(&event.kind));
        Before { event: last.map_or(end, |(number, _)| number + 1), taken_by: Some(step) }
    }

    /// The value of a byte, or of all flags of which one was asked for.
    fn value_of(&self, Node { how, cell, .. }: Node) -> Value {
        let event = match how {
            How::Recorded(event) => self.events.get(event),
            How::Cleared(_) => return Value(vec![Some(0)]),
            How::Doubtful(_) | How::Operands(_) => None,
        };
        let kind = event.map(|event| &event.kind);
        match (cell, kind) {
            (SliceCell::Register { view, .. }, Some(EventKind::Register(written))) => {
                let place = usize::from(view.offset - written.view.offset);
                Value(vec![written.bytes.as_ref().and_then(|bytes| bytes.get(place).copied())])
            }
            (SliceCell::Flags { bits, .. }, Some(EventKind::Register(written))) => {
                let byte = |place: usize| {
                    let place = place.checked_sub(usize::from(written.view.offset))?;
                    written.bytes.as_ref()?.get(place).copied()
                };
                let masks = bits.to_le_bytes();
                Value((0..8).map(|place| byte(place).map(|byte| byte & masks[place])).collect())
            }
            (SliceCell::Memory { address, .. }, Some(EventKind::Access(access))) => {
                let value = access.each_byte().filter(|(touched, _)| *touched == address.0).last();
                Value(vec![value.and_then(|(_, value)| value)])
            }
            (SliceCell::Flags { .. }, _) => Value(vec![None; 8]),
            _ => Value(vec![None]),
        }
    }
}
