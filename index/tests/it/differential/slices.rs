//! Compares slices of the index with those of the oracle: random programs of every architecture,
//! random queries.

use std::sync::Arc;

use proptest::prelude::*;
use stepback_index::Cancel;
use stepback_index::answer::Program;
use stepback_index::build::with_images;
use stepback_index::oracle::Oracle;
use stepback_machine::{Address, Endian, InstructionSet};
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::rst::Rst;
use stepback_parsers::{Source, TraceFile};

use crate::inference::sparc_machine::Machine;
use crate::support::compare::{Comparison, Things, index_of, open};
use crate::support::dice::Dice;
use crate::support::programs::{Plan, records, tarmac};
use crate::support::records::{ITEM, Records};
use crate::support::text::traces;

/// Returns a program that contains some of the memory of random programs.
fn loaded() -> Program {
    let mut program = Program::default();
    program.load(Address(0xff0), [0x11; 0x24].into(), 0x30);
    program.load(Address(0x1030), [0x22; 0x10].into(), 0x10);
    program
}

pub fn check(
    name: &str,
    source: &Arc<dyn Source>,
    segment_sizes: &[u64],
    questions: u64,
    seed: u64,
) {
    let program = if seed.is_multiple_of(2) {
        loaded()
    } else {
        Program::default()
    };
    let oracle = Oracle::of(source.as_ref())
        .unwrap()
        .with_program(program.clone());
    let mut things = Things::of(&oracle);
    things.is_mixed |= has_both_profiles(source.as_ref());
    for (number, segment_bytes) in segment_sizes.iter().enumerate() {
        let index = index_of(source, *segment_bytes, 1 + number % 3);
        let index = with_images(index, program.clone(), &Cancel::default());
        let name = format!("{name}, seed {seed}, segments of {segment_bytes}");
        let comparison = Comparison {
            index,
            oracle: &oracle,
            things: &things,
            name,
        };
        let mut dice = Dice(seed);
        (0..questions).for_each(|_| comparison.ask_why(&mut dice));
    }
}

/// Returns true if one text mixes modes of microcontrollers and of other processors. The main stack
/// is then also `sp` of `svc`.
fn has_both_profiles(source: &dyn Source) -> bool {
    let mut text = Vec::new();
    if source.is_text() {
        source.read_raw(0..source.length(), &mut text).unwrap();
    }
    let text = String::from_utf8_lossy(&text);
    let has = |modes: &[&str]| modes.iter().any(|mode| text.contains(&format!(" {mode}")));
    has(&["thread", "handler"])
        && has(&[
            "svc", "usr", "sys", "irq", "fiq", "abt", "und", "mon", "hyp", "EL",
        ])
}

pub fn check_text(text: &str, segment_sizes: &[u64], questions: u64, seed: u64) {
    let endian = if seed % 3 == 2 {
        Endian::Big
    } else {
        Endian::Little
    };
    check(
        "text",
        &open(text.as_bytes(), endian),
        segment_sizes,
        questions,
        seed,
    );
}

fn check_program(set: InstructionSet, seed: u64, steps: u64) {
    let mut dice = Dice(seed);
    let plan = Plan {
        set,
        steps,
        threads: 1 + dice.below(3) as u16,
    };
    let text = tarmac(plan, seed % 3 == 2, &mut dice);
    check_text(&text, &[64, 700, 1 << 30], 15, seed);
}

fn check_records(set: InstructionSet, seed: u64, steps: u64) {
    let mut dice = Dice(seed);
    let plan = Plan {
        set,
        steps,
        threads: 1 + dice.below(3) as u16,
    };
    let source: Arc<dyn Source> = Records::new(records(plan, &mut dice), set);
    check(
        &format!("{set:?}"),
        &source,
        &[ITEM, 10 * ITEM, 1 << 30],
        15,
        seed,
    );
}

/// Loads that do not fit the operands of their instruction: each byte of the result may come from
/// each loaded byte.
#[test]
fn loads_that_are_not_distinguished_are_not_copied_byte_by_byte() {
    check_records(InstructionSet::X86_64, 13_615_696_996_598_071_224, 27);
    check_records(InstructionSet::A64, 1_111_412_970_070_028_801, 42);
    check_records(InstructionSet::A64, 12_181_800_071_588_727_431, 25);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn random_lines_have_the_slices_of_the_oracle(text in traces(0..120), seed: u64) {
        check_text(&text, &[64, 300, 1 << 30], 15, seed);
    }

    #[test]
    fn random_programs_of_a64_have_the_slices_of_the_oracle(steps in 0u64..60, seed: u64) {
        check_program(InstructionSet::A64, seed, steps);
    }

    #[test]
    fn random_programs_of_a32_have_the_slices_of_the_oracle(steps in 0u64..60, seed: u64) {
        check_program(InstructionSet::A32, seed, steps);
    }

    #[test]
    fn random_programs_of_t32_have_the_slices_of_the_oracle(steps in 0u64..60, seed: u64) {
        check_program(InstructionSet::T32, seed, steps);
    }

    #[test]
    fn records_of_a64_have_the_slices_of_the_oracle(steps in 0u64..60, seed: u64) {
        check_records(InstructionSet::A64, seed, steps);
    }

    #[test]
    fn records_of_x86_have_the_slices_of_the_oracle(steps in 0u64..60, seed: u64) {
        check_records(InstructionSet::X86_64, seed, steps);
    }

    #[test]
    fn records_of_riscv_have_the_slices_of_the_oracle(steps in 0u64..60, seed: u64) {
        check_records(InstructionSet::Riscv64, seed, steps);
    }

    #[test]
    fn records_of_sparc_have_the_slices_of_the_oracle(steps in 0u64..60, seed: u64) {
        check_records(InstructionSet::Sparc64, seed, steps);
    }
}

fn check_rst(name: &str, bytes: Vec<u8>, questions: u64, seed: u64) {
    let file = TraceFile {
        name: name.to_owned(),
        data: Arc::new(bytes),
    };
    let trace = Rst::open(vec![file], CacheFileOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    let source: Arc<dyn Source> = Arc::new(trace);
    check(
        name,
        &source,
        &[7 * ITEM, 300 * ITEM, 1 << 30],
        questions,
        seed,
    );
}

#[test]
fn runs_of_a_machine_with_windows_have_the_slices_of_the_oracle() {
    for seed in 0..6 {
        let run = Machine::run(seed, 200);
        check_rst("with values", run.with_values, 15, seed);
        check_rst("without values", run.without, 15, seed);
        check_rst("with some values", run.with_some, 15, seed);
    }
}
