//! Inferred values do not depend on the range of bytes or steps that a question covers.

use std::collections::BTreeSet;
use std::path::Path;

use stepback_index::answer::{AccessTarget, Effect, ValueSource};
use stepback_index::query::{InferredMemory, MemoryAt, Steps};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::random::Machine;
use super::{index_of, sparc};

/// Length of the questions that contain all others, in bytes.
const WIDE: u64 = 8192;

/// Returns every `stride`-th address that a step accesses.
fn addresses(index: &Index, stride: usize) -> Vec<u64> {
    let all = Steps {
        first: Step(0),
        count: u64::MAX,
    };
    let records = all.run(index, &Cancel::default()).unwrap();
    let effects = records.iter().flat_map(|record| &record.effects);
    let addresses: BTreeSet<u64> = effects
        .filter_map(|effect| match effect {
            Effect::Access(access) => match access.target {
                AccessTarget::Memory { address, .. } => Some(address.0),
                AccessTarget::Register(_) => None,
            },
            _ => None,
        })
        .collect();
    addresses.into_iter().step_by(stride).collect()
}

/// Compares questions of several lengths at every `every`-th position, about the bytes around every
/// `stride`-th accessed address. `ask` returns the inferred bytes of a range. Returns the number of
/// inferred bytes.
fn compare<A>(index: &Index, every: usize, stride: usize, ask: A) -> usize
where
    A: Fn(Position, Address, u64) -> Vec<Option<u8>>,
{
    let mut inferred = 0;
    for position in (40..index.step_count()).step_by(every).map(Position) {
        for address in addresses(index, stride) {
            let first = address.saturating_sub(WIDE / 2);
            let wide = ask(position, Address(first), WIDE);
            for (before, len) in [(0, 1), (0, 8), (3, 8), (16, 64), (24, 200), (1000, 4097)] {
                let from = address.saturating_sub(before);
                let place = usize::try_from(from - first).unwrap();
                let narrow = ask(position, Address(from), len);
                let part = &wide[place..place + narrow.len()];
                assert_eq!(narrow, part, "{len} bytes from {from:#x}");
            }
            inferred += wide.iter().flatten().count();
        }
    }
    inferred
}

fn trace_without_values() -> Index {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rst/small_nv.rst.xz");
    sparc::index_of(&path.to_string_lossy(), std::fs::read(&path).unwrap())
}

#[test]
fn bytes_do_not_depend_on_the_length_of_the_question() {
    let mut inferred = 0;
    for seed in [0, 1, 2, 3] {
        let index = index_of(Machine::trace(seed, 3000).into_bytes());
        inferred += compare(&index, 611, 37, |position, address, len_bytes| {
            let question = InferredMemory {
                position,
                address,
                len_bytes,
            };
            question.run(&index, &Cancel::default()).unwrap()
        });
    }
    assert!(inferred > 5_000, "{inferred}");
    let index = trace_without_values();
    let inferred = compare(&index, 149, 23, |position, address, len_bytes| {
        let question = MemoryAt {
            position,
            address,
            len_bytes,
        };
        let states = question.run(&index, &Cancel::default()).unwrap();
        let inferred = states.iter().map(|state| {
            let is_inferred = state.source == ValueSource::Inferred;
            state.value.filter(|_| is_inferred)
        });
        inferred.collect()
    });
    assert!(inferred > 1000, "{inferred}");
}

#[test]
fn values_of_accesses_do_not_depend_on_the_steps_listed_with_them() {
    let index = trace_without_values();
    let ask = |first: u64, count: u64| {
        let question = Steps {
            first: Step(first),
            count,
        };
        question.run(&index, &Cancel::default()).unwrap()
    };
    let all = ask(0, u64::MAX);
    for count in [1, 5, 300] {
        let mut first = 0;
        for part in all.chunks(count as usize) {
            let listed = ask(first, count);
            assert_eq!(listed.len(), part.len());
            for (one, other) in listed.iter().zip(part) {
                assert_eq!(one.effects, other.effects, "{:?}", one.step);
            }
            first += count;
        }
    }
}
