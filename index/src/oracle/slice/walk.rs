//! From a cell back through all that its value comes from.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use stepback_parsers::Step;

use crate::answers::hit::Doubt;
use crate::answers::slice::{
    Defined, Edge, EdgeKinds, End, SliceCell, SliceEnd, SliceRow, SliceStep, WantedBy,
};
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;
use crate::oracle::event::EventKind;
use crate::oracle::record::{Oracle, Replay};
use crate::oracle::slice::flow::Taken;
use crate::oracle::slice::takings::FoundByte;
use crate::oracle::slice::writers::{Found, How, Made};
use crate::query::slice::why::Why;

/// Names its cells byte by byte, and flags one by one.
impl Replay for Why {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<SliceRow>> {
        oracle.check(self.at)?;
        let mut slice = Slice::of(oracle, self.edges);
        let by = WantedBy {
            step: None,
            edge: Edge::Data,
        };
        let asked = oracle.writers_at(self.cell, self.at)?;
        asked
            .into_iter()
            .for_each(|(cell, found)| slice.want(cell, found, by));
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
    ends: HashSet<(End, SliceCell, WantedBy, Option<Doubt>)>,
    /// Who wants what of which step.
    links: HashSet<(Step, SliceCell, WantedBy)>,
    /// Who wrote what a step takes in: it may do so for several edges.
    writers: HashMap<(Step, Taken), Vec<FoundByte>>,
}

impl<'a> Slice<'a> {
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

    fn want(&mut self, cell: SliceCell, found: Found, by: WantedBy) {
        let Made { step, how, doubt } = match found {
            Found::Made(made) => made,
            Found::Nobody(end, doubt) => {
                self.ends.insert((end, cell, by, doubt));
                return;
            }
        };
        self.links.insert((step, cell, by));
        let row = self.rows.entry(step).or_default();
        row.wanted_by.insert(by);
        row.doubt = row.doubt.or(doubt);
        let node = Node { step, how, cell };
        if self.nodes.insert(node) {
            row.defines
                .push(Defined::new(cell, self.oracle.value_of(how, cell)));
            self.open.push(node);
        }
    }

    fn follow(&mut self) {
        while let Some(Node { step, how, cell }) = self.open.pop() {
            let into = self.oracle.ingredients(
                Made {
                    step,
                    how,
                    doubt: None,
                },
                cell,
                self.kinds,
            );
            let by_step = |edge| WantedBy {
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

    /// Looks for who wrote what a step takes in.
    fn take(&mut self, step: Step, taken: Taken, by: WantedBy) {
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
        let is_shown = |by: &WantedBy| by.step.is_none_or(|step| shown.contains(&step));
        let mut answer = Vec::new();
        for (step, row) in rows.into_iter().rev().take(limit) {
            let thread = oracle.step(step).map_or(ThreadId(0), |told| told.thread);
            let wanted_by = row.wanted_by.into_iter().collect();
            answer.push(SliceRow::Step(SliceStep {
                step,
                thread,
                defines: row.defines,
                wanted_by,
                doubt: row.doubt,
            }));
        }
        let left = links
            .into_iter()
            .filter(|(step, ..)| !shown.contains(step))
            .map(|(_, cell, by)| (End::Limit, cell, by, None));
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
    /// The value of a byte, or of all flags of which one was asked for.
    pub(super) fn value_of(&self, how: How, cell: SliceCell) -> Value {
        let event = match how {
            How::Recorded(event) => self.events.get(event),
            How::Cleared(_) => return Value(vec![Some(0)]),
            How::Doubtful(_) | How::Operands(_) => None,
        };
        let kind = event.map(|event| &event.kind);
        match (cell, kind) {
            (SliceCell::Register { view, .. }, Some(EventKind::Register(written))) => {
                let place = usize::from(view.offset - written.view.offset);
                Value(vec![
                    written
                        .bytes
                        .as_ref()
                        .and_then(|bytes| bytes.get(place).copied()),
                ])
            }
            (SliceCell::Flags { bits, .. }, Some(EventKind::Register(written))) => {
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
            (SliceCell::Memory { address, .. }, Some(EventKind::Access(access))) => {
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
