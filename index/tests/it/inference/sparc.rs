//! RST traces without values, compared with the same traces with values.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepback_index::answer::{AccessTarget, Effect, ThreadId, ValueSource};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{InferredRegisters, MemoryAt, RegistersAt, Steps};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::{Address, RegisterId};
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::rst::Rst;
use stepback_parsers::{Position, Source as _, Step, TraceFile};

use super::Compared;
use super::sparc_machine::{Machine, Truth};

/// Builds the index of a trace, packed or not.
pub fn index_of(name: &str, bytes: Vec<u8>) -> Index {
    let file = TraceFile {
        name: name.to_owned(),
        data: Arc::new(bytes),
    };
    let trace = Rst::open(vec![file], CacheFileOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    index_in_memory(Arc::new(trace), &BuildOptions::default()).unwrap()
}

fn index_of_file(path: &Path) -> Index {
    index_of(&path.to_string_lossy(), std::fs::read(path).unwrap())
}

/// A trace with and without its values.
struct Pair<'a> {
    name: &'a str,
    stated: Index,
    hidden: Index,
    compared: Compared,
    wrong: Vec<String>,
}

impl Pair<'_> {
    /// Compares all registers, and the accessed memory, at about `positions` positions.
    fn compare(&mut self, positions: u64) {
        assert_eq!(
            self.stated.step_count(),
            self.hidden.step_count(),
            "{}",
            self.name
        );
        let stride = (self.stated.step_count() / positions).max(1) | 1;
        let mut position = Position(stride / 2 + 1);
        while position <= self.stated.end() {
            self.registers_at(position);
            self.memory_at(position);
            position.0 += stride;
        }
        let first = Step(self.stated.step_count() / 2);
        self.accesses(first, 4096);
        println!(
            "{}: {} % of {:?}",
            self.name,
            self.compared.share(),
            self.compared
        );
        assert!(
            self.wrong.is_empty(),
            "{} are wrong: {:#?}",
            self.wrong.len(),
            &self.wrong[..self.wrong.len().min(40)]
        );
    }

    fn registers_at(&mut self, position: Position) {
        let (thread, cancel) = (ThreadId(0), Cancel::default());
        let question = RegistersAt {
            position,
            thread: Some(thread),
        };
        let truth = question.run(&self.stated, &cancel).unwrap();
        let found = question.run(&self.hidden, &cancel).unwrap();
        // The trace with values infers the same from its steps.
        let beside = InferredRegisters { position, thread }
            .run(&self.stated, &cancel)
            .unwrap();
        let recorded = truth
            .registers
            .iter()
            .filter(|state| state.source == ValueSource::Recorded);
        for state in recorded.filter(|state| state.view.register != RegisterId::PC) {
            let known = found
                .registers
                .iter()
                .find(|known| known.view == state.view);
            let known = known.filter(|known| known.source == ValueSource::Inferred);
            let beside = beside
                .registers
                .iter()
                .find(|known| known.view == state.view);
            let values = known.map(|known| (&known.value, known.reason));
            for (value, reason) in values
                .into_iter()
                .chain(beside.map(|known| (&known.value, Some(known.reason))))
            {
                let mut bytes = value.0.iter().zip(&state.value.0);
                if !bytes.all(|(known, truth)| known.is_none() || truth.is_none() || known == truth)
                {
                    let reason = reason.map_or_else(String::new, |reason| reason.to_string());
                    let (name, at) = (&state.name, position.0);
                    self.wrong.push(format!(
                        "{}: {name} at {at} is {}, not {}: {reason}",
                        self.name,
                        state.value.hex(),
                        value.hex()
                    ));
                }
            }
            let is_inferred = u64::from(known.is_some_and(|known| known.value == state.value));
            if state.view.register < RegisterId::PC {
                self.compared.general += 1;
                self.compared.general_inferred += is_inferred;
                let is_written = u64::from(state.written_by.is_some());
                self.compared.written += is_written;
                self.compared.written_inferred += is_written & is_inferred;
            } else if (RegisterId::V0..RegisterId::P0).contains(&state.view.register) {
                self.compared.vectors += 1;
                self.compared.vectors_inferred += is_inferred;
            }
        }
    }

    fn memory_at(&mut self, position: Position) {
        const LENGTH: u64 = 64;
        let cancel = Cancel::default();
        let near = Steps {
            first: Step(position.0.saturating_sub(8)),
            count: 16,
        }
        .run(&self.stated, &cancel)
        .unwrap();
        let mut blocks: Vec<u64> = near
            .iter()
            .flat_map(|record| &record.effects)
            .filter_map(block_of)
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        for address in blocks.into_iter().map(Address) {
            let question = MemoryAt {
                position,
                address,
                len_bytes: LENGTH,
            };
            let truth = question.run(&self.stated, &cancel).unwrap();
            let found = question.run(&self.hidden, &cancel).unwrap();
            for ((truth, found), place) in truth.iter().zip(found).zip(address.0..) {
                let Some(byte) = truth
                    .value
                    .filter(|_| truth.source == ValueSource::Recorded)
                else {
                    continue;
                };
                self.compared.memory += 1;
                self.compared.memory_inferred += u64::from(found.value.is_some());
                if found.value.is_some_and(|found| found != byte) {
                    let (at, found) = (position.0, found.value);
                    self.wrong.push(format!(
                        "{}: {place:#x} at {at} is {byte:02x}, not {found:02x?}",
                        self.name
                    ));
                }
            }
        }
    }

    fn accesses(&mut self, first: Step, count: u64) {
        let (question, cancel) = (Steps { first, count }, Cancel::default());
        let truth = question.run(&self.stated, &cancel).unwrap();
        for (stated, found) in truth
            .iter()
            .zip(question.run(&self.hidden, &cancel).unwrap())
        {
            assert_eq!(
                (
                    stated.pc,
                    stated.effects.iter().filter_map(access_of).count()
                ),
                { (found.pc, found.effects.iter().filter_map(access_of).count()) }
            );
            let accesses = stated
                .effects
                .iter()
                .filter_map(access_of)
                .zip(found.effects.iter().filter_map(access_of));
            for (stated, known) in accesses {
                if !known
                    .value
                    .0
                    .iter()
                    .zip(&stated.value.0)
                    .all(|(known, truth)| known.is_none() || known == truth)
                {
                    self.wrong.push(format!(
                        "{}: step {}: {stated:?}, not {known:?}",
                        self.name, found.step.0
                    ));
                }
            }
        }
    }
}

fn access_of(effect: &Effect) -> Option<&stepback_index::answer::Access> {
    match effect {
        Effect::Access(access) if matches!(access.target, AccessTarget::Memory { .. }) => {
            Some(access)
        }
        _ => None,
    }
}

fn block_of(effect: &Effect) -> Option<u64> {
    match access_of(effect)?.target {
        AccessTarget::Memory { address, .. } => Some(address.0 & !63),
        AccessTarget::Register(_) => None,
    }
}

fn compare(name: &str, stated: &Path, hidden: &Path, positions: u64) -> Compared {
    let (stated, hidden) = (index_of_file(stated), index_of_file(hidden));
    let mut pair = Pair {
        name,
        stated,
        hidden,
        compared: Compared::default(),
        wrong: Vec::new(),
    };
    pair.compare(positions);
    pair.compared
}

#[test]
fn nothing_inferred_of_sparc_fixtures_is_wrong() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rst");
    let compared = compare(
        "small",
        &fixtures.join("small.rst"),
        &fixtures.join("small_nv.rst.xz"),
        1744,
    );
    assert!(
        compared.general > 500 && compared.share() > 30,
        "{compared:?}"
    );
}

#[test]
fn nothing_inferred_of_real_sparc_traces_is_wrong() {
    let Some(traces) =
        std::env::var_os("STEPBACK_TRACES").map(|traces| PathBuf::from(traces).join("rst"))
    else {
        println!("skipped: STEPBACK_TRACES is not set");
        return;
    };
    compare(
        "medium",
        &traces.join("medium.rz3.gz"),
        &traces.join("medium_nv.rst.zst"),
        500,
    );
}

/// Returns the number of a plain register name.
fn number_of(name: &str) -> Option<usize> {
    let place: usize = match name {
        "sp" => return Some(14),
        "fp" => return Some(30),
        name => name.get(1..)?.parse().ok()?,
    };
    let family = ["g", "o", "l", "i"]
        .iter()
        .position(|family| name.starts_with(family))?;
    (place < 8 && name.len() == 2).then_some(8 * family + place)
}

/// Compares all registers, and the bytes that the next step loads, at regular intervals. Returns
/// the number of known ones of each.
fn compare_with_truth(name: &str, bytes: Vec<u8>, truths: &[Truth]) -> (u64, u64) {
    const STRIDE: usize = 11;
    let index = index_of(name, bytes);
    assert_eq!(index.step_count() as usize + 1, truths.len(), "{name}");
    let (mut known, mut all) = (0, 0);
    for (position, truth) in (0..).zip(truths).step_by(STRIDE) {
        let question = RegistersAt {
            position: Position(position),
            thread: Some(ThreadId(0)),
        };
        for state in question.run(&index, &Cancel::default()).unwrap().registers {
            let Some(number) = number_of(&state.name) else {
                continue;
            };
            let value = truth.registers[number];
            let is_true = state
                .value
                .0
                .iter()
                .zip(value.to_le_bytes())
                .all(|(known, byte)| known.is_none_or(|known| known == byte));
            let reason = state
                .reason
                .map_or_else(String::new, |reason| reason.to_string());
            assert!(
                is_true,
                "{name}: {} at {position} is {value:016x}, not {} ({:?}, written at {:?}): {reason}",
                state.name,
                state.value.hex(),
                state.source,
                state.written_at
            );
            all += 1;
            known += u64::from(state.value.to_u64().is_some());
        }
        let Some(loaded) = &truth.loaded else {
            continue;
        };
        let (address, len_bytes) = (Address(loaded.address), loaded.bytes.len() as u64);
        let bytes = MemoryAt {
            position: Position(position),
            address,
            len_bytes,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        for (state, byte) in bytes.iter().zip(&loaded.bytes) {
            let is_stale = state.source != ValueSource::Inferred;
            assert!(
                is_stale || state.value == Some(*byte),
                "{name}: {address:?} at {position}: {state:?}, not {byte:02x}"
            );
        }
    }
    (known, all)
}

#[test]
fn nothing_inferred_of_random_sparc_programs_is_wrong() {
    for seed in 0..9 {
        let run = Machine::run(seed, 1200);
        let none = compare_with_truth(
            &format!("seed {seed} without values"),
            run.without,
            &run.truths,
        );
        let some = compare_with_truth(
            &format!("seed {seed} with some"),
            run.with_some,
            &run.truths,
        );
        let all = compare_with_truth(
            &format!("seed {seed} with values"),
            run.with_values,
            &run.truths,
        );
        println!("seed {seed}: {none:?} {some:?} {all:?}");
        assert!(
            none.0 * 100 / none.1 > 5 && some.0 > none.0 && all.0 > some.0,
            "seed {seed}: {none:?} {some:?} {all:?}"
        );
    }
}
