//! Forward and backward slices are inverse relations and must agree.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use stepback_index::answer::{Cell, Direction, EdgeKinds, Effect, ThreadId};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{SliceQuery, Steps};
use stepback_index::{Cancel, Index, Query};
use stepback_machine::{AccessKind, RegisterId, RegisterView};
use stepback_parsers::{Position, Step, Tarmac};

use super::{ALL, step_of};

/// A small trace that is sliced in both directions.
struct BothWays {
    name: String,
    index: Index,
}

impl BothWays {
    fn of(name: &str) -> Self {
        let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures")).join(name);
        let tarmac = Arc::new(
            Tarmac::open(Box::new(std::fs::read(path).unwrap()), Default::default()).unwrap(),
        );
        let index = index_in_memory(
            tarmac,
            &BuildOptions {
                segment_bytes: 20_000,
                ..Default::default()
            },
        )
        .unwrap();
        Self {
            name: name.to_owned(),
            index,
        }
    }

    fn ask<Q: Query>(&self, question: Q) -> Q::Answer {
        question.run(&self.index, &Cancel::default()).unwrap()
    }

    /// Returns the register that a step wrote, if it wrote exactly one and it is not banked.
    fn result(&self, step: u64) -> Option<RegisterView> {
        let record = self
            .ask(Steps {
                first: Step(step),
                count: 1,
            })
            .pop()
            .unwrap();
        let is_store = |effect: &&Effect| !matches!(effect, Effect::Access(access) if access.kind == AccessKind::Read);
        let did: Vec<&Effect> = record.effects.iter().filter(is_store).collect();
        let is_plain = |view: &RegisterView| {
            let banked = [RegisterId::PSR, RegisterId::SP, RegisterId::LR];
            view.register < RegisterId::FIRST_BANK && !banked.contains(&view.register)
        };
        match did.as_slice() {
            [Effect::Register { view, .. }] => Some(*view).filter(is_plain),
            _ => None,
        }
    }

    fn onward(&self, view: RegisterView, at: u64) -> BTreeSet<u64> {
        let cell = Cell::Register {
            thread: ThreadId(0),
            view,
        };
        let edges = EdgeKinds {
            listed: false,
            ..ALL
        };
        let rows = self.ask(SliceQuery {
            direction: Direction::Forward,
            cell,
            at: Position(at),
            edges,
            limit: usize::MAX,
        });
        rows.iter().filter_map(step_of).collect()
    }

    fn back(&self, view: RegisterView, at: u64) -> BTreeSet<u64> {
        let cell = Cell::Register {
            thread: ThreadId(0),
            view,
        };
        let edges = EdgeKinds {
            listed: false,
            ..ALL
        };
        let rows = self.ask(SliceQuery {
            direction: Direction::Back,
            cell,
            at: Position(at),
            edges,
            limit: usize::MAX,
        });
        rows.iter().filter_map(step_of).collect()
    }

    /// Checks for steps with one result each that the forward slice reaches exactly the steps whose
    /// backward slices contain it.
    fn check(&self) -> usize {
        let count = self.index.step_count();
        let all: Vec<u64> = (0..count)
            .filter(|step| self.result(*step).is_some())
            .collect();
        let spread = |from: usize, number: usize| {
            all.iter()
                .copied()
                .skip(from)
                .step_by(1 + all.len() / number)
        };
        let onward: Vec<(u64, BTreeSet<u64>)> = spread(3, 24)
            .map(|step| (step, self.onward(self.result(step).unwrap(), step + 1)))
            .collect();
        let mut compared = 0;
        for late in spread(1, 40) {
            let back = self.back(self.result(late).unwrap(), late + 1);
            for (early, reached) in onward.iter().filter(|(early, _)| *early < late) {
                let name = &self.name;
                assert_eq!(
                    reached.contains(&late),
                    back.contains(early),
                    "{name}: from {early} to {late}"
                );
                compared += 1;
            }
        }
        compared
    }
}

#[test]
fn where_values_go_and_where_they_come_from_agree() {
    for name in [
        "overflow_bare.tiny.tarmac",
        "fp32.tiny.tarmac",
        "cm3.tiny.tarmac",
        "recurse.tiny.tarmac",
    ] {
        let compared = BothWays::of(name).check();
        assert!(compared > 200, "{name}: {compared}");
    }
}
