//! A trace with damaged lines loses only those lines: answers far from them do not change.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use stepback_index::answer::{Effect, StepRecord, ThreadId};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::Steps;
use stepback_index::{Cancel, Index, Query as _};
use stepback_parsers::{Position, Step, Tarmac};

use crate::support::dice::Dice;

const FIXTURES: [&str; 5] = [
    "amp.head.tarmac",
    "cm3.tiny.tarmac",
    "fp32.tiny.tarmac",
    "overflow_bare.tiny.tarmac",
    "qsort.es.tiny.tarmac",
];
const LINES: usize = 900;

/// Returns the lines of a fixture.
fn lines_of(name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures"));
    let text = std::fs::read(folder.join(name)).unwrap();
    text.split_inclusive(|byte| *byte == b'\n')
        .take(LINES)
        .map(<[u8]>::to_vec)
        .collect()
}

fn index_of(lines: &[Vec<u8>], segment_bytes: u64) -> Index {
    let tarmac = Tarmac::open(Box::new(lines.concat()), Default::default()).unwrap();
    index_in_memory(
        Arc::new(tarmac),
        &BuildOptions {
            segment_bytes,
            threads: 1,
        },
    )
    .unwrap()
}

/// Damages some lines; returns the kind of damage.
fn damage(lines: &mut [Vec<u8>], dice: &mut Dice) -> &'static str {
    let kind = dice
        .pick(&["bits", "cut", "shuffled", "repeated", "bytes", "gone"])
        .unwrap();
    let count = lines.len() as u64;
    match kind {
        "shuffled" => {
            (0..count as usize).for_each(|place| lines.swap(place, dice.below(count) as usize))
        }
        "repeated" => lines.fill(lines[0].clone()),
        "gone" => lines.fill(Vec::new()),
        _ => {
            for line in lines {
                if !dice.one_in(3) {
                    damage_line(kind, line, dice);
                }
            }
        }
    }
    kind
}

fn damage_line(kind: &str, line: &mut Vec<u8>, dice: &mut Dice) {
    let place = |dice: &mut Dice| dice.below(line.len() as u64) as usize;
    match kind {
        "cut" => {
            let at = place(dice);
            line.truncate(at);
            line.push(b'\n');
        }
        "bits" => {
            let at = place(dice);
            line[at] ^= 1 << dice.below(8);
        }
        _ => {
            let at = place(dice);
            let garbage: Vec<u8> = (0..1 + dice.below(9))
                .map(|_| dice.number() as u8)
                .collect();
            line.splice(at..at, garbage);
        }
    }
}

/// Formats steps without details that distant damage can change. Numbers shift, times never
/// decrease again, memory may have lost a write, and with several threads a step may have effects
/// from long before.
fn stated(index: &Index, steps: Range<u64>) -> Vec<(String, StepRecord)> {
    let count = steps.end - steps.start;
    let mut records = Steps {
        first: Step(steps.start),
        count,
    }
    .run(index, &Cancel::default())
    .unwrap();
    let mut stated = Vec::new();
    for mut record in records.drain(..) {
        let thread = index.threads()[usize::from(record.thread.0)].name.clone();
        (record.step, record.line, record.time, record.thread) = (Step(0), None, None, ThreadId(0));
        record.effects.retain(|effect| {
            let is_by_host =
                matches!(effect, Effect::Access(access) if access.host_operation.is_some());
            index.threads().len() == 1 && !is_by_host
        });
        for effect in &mut record.effects {
            if let Effect::Access(access) = effect {
                access.is_external = false;
            }
        }
        stated.push((thread, record));
    }
    stated
}

fn step_of_line(index: &Index, line: u64) -> u64 {
    let steps = Steps {
        first: Step(0),
        count: u64::MAX,
    }
    .run(index, &Cancel::default())
    .unwrap();
    steps
        .iter()
        .filter(|step| step.line.is_some_and(|known| known.0 < line))
        .count() as u64
}

#[track_caller]
fn check_same(found: &[(String, StepRecord)], expected: &[(String, StepRecord)], name: &str) {
    let differing = found
        .iter()
        .zip(expected)
        .find(|(found, expected)| found != expected);
    assert!(
        differing.is_none() && found.len() == expected.len(),
        "{name}: {differing:#?}"
    );
}

#[test]
fn answers_far_from_damaged_lines_stay() {
    let mut dice = Dice(11);
    for name in FIXTURES {
        let good = lines_of(name);
        let right = index_of(&good, 1 << 20);
        for _ in 0..60 {
            let first = 200 + dice.below(300) as usize;
            let last = first + 1 + dice.below(40) as usize;
            let mut lines = good.clone();
            let kind = damage(&mut lines[first..last], &mut dice);
            let index = index_of(&lines, dice.pick(&[3000, 20_000, 1 << 20]).unwrap());
            let name = format!("{name}, lines {first} to {last} {kind}");
            // After the damage, the first step of each thread may still receive effects of a lost
            // step.
            let (before, after) = (
                step_of_line(&right, first as u64 - 4),
                right.step_count() - step_of_line(&right, last as u64 + 30),
            );
            assert!(index.step_count() >= before + after, "{name}");
            check_same(
                &stated(&index, 0..before - 1),
                &stated(&right, 0..before - 1),
                &name,
            );
            let tails = [&index, &right]
                .map(|index| stated(index, index.step_count() - after..index.step_count()));
            check_same(&tails[0], &tails[1], &name);
            // Inserted text may contain line ends, and removed text may have contained some.
            let last = (last as u64 + 1 + index.info().lines).saturating_sub(right.info().lines);
            let damaged = first as u64 + 1..=last;
            let outside = index
                .warnings()
                .iter()
                .find(|warning| !damaged.contains(&warning.line));
            assert_eq!(outside, None, "{name}");
            assert_eq!(index.end(), Position(index.step_count()));
        }
    }
}
