//! An inferred value is never wrong: traces with all values are compared with inference without
//! them.
//!
//! Inference reads only program counters, encodings and addresses, so the values can be hidden
//! without another trace. Real traces are in the folder `tarmac/` of `STEPBACK_TRACES`.

mod between_steps;
mod damage;
mod differences;
mod last_steps;
mod loads;
mod processes;
mod questions;
mod random;
mod sparc;
pub mod sparc_machine;
mod sparc_programs;
mod truth;
mod unrecorded;
mod untraced;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use stepback_index::answer::{AccessTarget, Effect, RegisterFile, ThreadId, ValueSource};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{InferredMemory, InferredRegisters, MemoryAt, RegistersAt, Steps};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::{Address, RegisterId};
use stepback_parsers::{Position, Step, Tarmac};

use random::Machine;

/// Counts of comparisons.
#[derive(Debug, Default)]
struct Compared {
    /// Number of general registers with a stated value, and of those that were inferred.
    general: u64,
    general_inferred: u64,
    /// Counts for registers that some step wrote: values from before the trace can rarely be
    /// inferred.
    written: u64,
    written_inferred: u64,
    /// Counts for vector registers.
    vectors: u64,
    vectors_inferred: u64,
    /// Number of bytes of memory with a stated value, and of those that were inferred.
    memory: u64,
    memory_inferred: u64,
    contradictions: u64,
}

impl Compared {
    fn share(&self) -> u64 {
        100 * self.written_inferred / self.written.max(1)
    }
}

fn index_of(text: Vec<u8>) -> Index {
    let tarmac = Arc::new(Tarmac::open(Box::new(text), Default::default()).unwrap());
    index_in_memory(tarmac, &BuildOptions::default()).unwrap()
}

/// Compares all registers of all threads at about `positions` positions with the stated values.
fn compare(name: &str, text: Vec<u8>, positions: u64) -> Compared {
    let index = index_of(text);
    let mut compared = Compared::default();
    // An odd stride, so that all places of a loop are visited.
    let stride = (index.step_count() / positions).max(1) | 1;
    let mut position = Position(stride / 2 + 1);
    while position <= index.end() {
        for thread in 0..u16::try_from(index.threads().len()).unwrap() {
            compare_at(name, &index, position, ThreadId(thread), &mut compared);
        }
        compare_memory_at(name, &index, position, &mut compared);
        position.0 += stride;
    }
    println!("{name}: {} % of {:?}", compared.share(), compared);
    compared
}

fn compare_at(
    name: &str,
    index: &Index,
    position: Position,
    thread: ThreadId,
    compared: &mut Compared,
) {
    let cancel = Cancel::default();
    let truth: RegisterFile = RegistersAt {
        position,
        thread: Some(thread),
    }
    .run(index, &cancel)
    .unwrap();
    let inference = InferredRegisters { position, thread }
        .run(index, &cancel)
        .unwrap();
    compared.contradictions += inference.contradictions;
    let recorded = truth
        .registers
        .iter()
        .filter(|state| state.source == ValueSource::Recorded);
    for state in recorded.filter(|state| state.view.register != RegisterId::PC) {
        let inferred = inference
            .registers
            .iter()
            .find(|inferred| inferred.view == state.view);
        if let Some(inferred) = inferred {
            let bytes = inferred.value.0.iter().zip(&state.value.0);
            let is_true = bytes.clone().all(|(inferred, truth)| {
                inferred.is_none() || truth.is_none() || inferred == truth
            });
            assert!(
                is_true,
                "{name}: {} at {} is {}, not {}: {}",
                state.name,
                position.0,
                state.value.hex(),
                inferred.value.hex(),
                inferred.reason
            );
        }
        let is_inferred = u64::from(inferred.is_some_and(|inferred| inferred.value == state.value));
        if state.view.register < RegisterId::PC {
            compared.general += 1;
            compared.general_inferred += is_inferred;
            let is_written = u64::from(state.written_by.is_some());
            compared.written += is_written;
            compared.written_inferred += is_written & is_inferred;
        } else if (RegisterId::V0..RegisterId::P0).contains(&state.view.register) {
            compared.vectors += 1;
            compared.vectors_inferred += is_inferred;
        }
    }
}

/// Compares the memory around the next access, and the stack, with the stated values.
fn compare_memory_at(name: &str, index: &Index, position: Position, compared: &mut Compared) {
    const LENGTH: u64 = 256;
    let cancel = Cancel::default();
    let nearby = Steps {
        first: Step(position.0.saturating_sub(8)),
        count: 16,
    }
    .run(index, &cancel)
    .unwrap();
    let accessed =
        nearby
            .iter()
            .flat_map(|record| &record.effects)
            .filter_map(|effect| match effect {
                Effect::Access(access) => Some(&access.target),
                _ => None,
            });
    let blocks: BTreeSet<u64> = accessed
        .filter_map(|target| match target {
            AccessTarget::Memory { address, .. } => Some(address.0 & !(LENGTH - 1)),
            AccessTarget::Register(_) => None,
        })
        .collect();
    for address in blocks.into_iter().map(Address) {
        let truth = MemoryAt {
            position,
            address,
            len_bytes: LENGTH,
        }
        .run(index, &cancel)
        .unwrap();
        let inferred = InferredMemory {
            position,
            address,
            len_bytes: LENGTH,
        }
        .run(index, &cancel)
        .unwrap();
        assert_eq!(truth.len(), inferred.len());
        for ((truth, inferred), offset) in truth.iter().zip(inferred).zip(0..) {
            let Some(byte) = truth
                .value
                .filter(|_| truth.source == ValueSource::Recorded)
            else {
                continue;
            };
            let place = address.0 + offset;
            assert!(
                inferred.is_none_or(
                    |inferred| inferred == byte || is_found(index, position, place, inferred)
                ),
                "{name}: {place:#x} at {} is {byte:02x}, not {inferred:02x?}",
                position.0
            );
            compared.memory += 1;
            compared.memory_inferred += u64::from(inferred.is_some());
        }
    }
}

/// Returns true if a later load reveals that a byte, inferred from that load, was changed without a
/// record.
fn is_found(index: &Index, position: Position, address: u64, byte: u8) -> bool {
    let states = (position.0 + 1..=index.end().0.min(position.0 + 256)).map(|later| {
        let question = MemoryAt {
            position: Position(later),
            address: Address(address),
            len_bytes: 1,
        };
        *question
            .run(index, &Cancel::default())
            .unwrap()
            .first()
            .unwrap()
    });
    let mut changed = states.filter(|state| state.seen_at > Some(position));
    changed
        .next()
        .is_some_and(|state| state.source == ValueSource::External && state.value == Some(byte))
}

fn bytes_of(path: &Path) -> Vec<u8> {
    if path.exists() {
        return std::fs::read(path).unwrap();
    }
    let packed = PathBuf::from(format!("{}.zst", path.display()));
    let unpacked = Command::new("zstd")
        .arg("-dc")
        .arg(&packed)
        .output()
        .expect("zstd is needed for packed traces");
    assert!(unpacked.status.success(), "{}", packed.display());
    unpacked.stdout
}

#[test]
fn nothing_inferred_of_the_fixtures_is_wrong() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    for name in [
        "overflow_bare.tiny",
        "qsort.es.tiny",
        "cm3.tiny",
        "fp32.tiny",
        "recurse.tiny",
        "amp.head",
    ] {
        let compared = compare(
            name,
            bytes_of(&fixtures.join(format!("{name}.tarmac"))),
            100,
        );
        assert!(compared.general > 500, "{name}: {compared:?}");
    }
}

#[test]
fn nothing_inferred_of_random_instructions_is_wrong() {
    for seed in 0..24 {
        let compared = compare(
            &format!("seed {seed}"),
            Machine::trace(seed, 3000).into_bytes(),
            40,
        );
        // With two CPUs, the calls of the other one are unknown.
        assert!(
            compared.memory_inferred > 200 || seed % 2 == 1,
            "seed {seed}: {compared:?}"
        );
        assert!(
            compared.general > 200 && compared.share() > 40,
            "seed {seed}: {compared:?}"
        );
    }
}

#[test]
fn nothing_inferred_of_real_traces_is_wrong() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES") else {
        println!("skipped: STEPBACK_TRACES is not set");
        return;
    };
    let names = [
        "own/qsort.tiny",
        "own/qsort.small",
        "own/qsort.es.tiny",
        "own/recurse.tiny",
        "own/recurse.small",
        "own/overflow_bare.tiny",
        "own/overflow_bare.small",
        "own/cm3.tiny",
        "own/fp32.tiny",
        "own/amp.small",
        "lua/lua.tiny",
        "lua/lua.small",
        "lua/lua.medium",
        "arm-samples/calculator-aarch32-es-ld-st-style",
        "arm-samples/calculator-aarch64-fastmodel",
        "arm-samples/quicksort",
    ];
    for name in names {
        let file = PathBuf::from(&traces)
            .join("tarmac")
            .join(format!("{name}.tarmac"));
        compare(name, bytes_of(&file), 300);
    }
}
