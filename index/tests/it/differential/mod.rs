//! Compares the index with the oracle, which replays events naively: random traces, real traces,
//! random queries.

mod commit_logs;
mod drmemtrace;
mod exceptions;
mod heap;
mod jumps;
mod recorded_calls;
mod records;
mod rst;
mod slice_cases;
mod slices;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::*;
use stepback_index::answer::Program;
use stepback_index::build::with_images;
use stepback_index::oracle::Oracle;
use stepback_index::query::Steps;
use stepback_index::{Cancel, Query as _};
use stepback_machine::{Address, Endian};
use stepback_parsers::Step;

use crate::support::compare::{Comparison, Things, index_of, open};
use crate::support::dice::Dice;
use crate::support::text::traces;

/// Returns a program with two segments within the memory of random traces, and a gap.
fn loaded() -> Program {
    let mut program = Program::default();
    program.load(Address(0xff0), [0x11; 0x24].into(), 0x30);
    program.load(Address(0x1030), [0x22; 0x10].into(), 0x10);
    program
}

/// Compares indexes of a trace, built with different segment sizes, with the oracle.
fn check(name: &str, text: &[u8], segment_sizes: &[u64], questions: u64, seed: u64) {
    let tarmac = open(
        text,
        if seed % 3 == 2 {
            Endian::Big
        } else {
            Endian::Little
        },
    );
    let program = if seed % 4 < 2 {
        loaded()
    } else {
        Program::default()
    };
    let oracle = Oracle::of(tarmac.as_ref())
        .unwrap()
        .with_program(program.clone());
    let things = Things::of(&oracle);
    for (number, segment_bytes) in segment_sizes.iter().enumerate() {
        let index = index_of(&tarmac, *segment_bytes, 1 + number % 3);
        let index = with_images(index, program.clone(), &Cancel::default());
        let name = format!("{name}, segments of {segment_bytes}");
        let comparison = Comparison {
            index,
            oracle: &oracle,
            things: &things,
            name,
        };
        comparison.whole();
        let mut dice = Dice(seed);
        (0..questions).for_each(|_| comparison.ask(&mut dice));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_traces_give_the_answers_of_the_oracle(text in traces(0..120), seed: u64) {
        check("random", text.as_bytes(), &[64, 300, 5000, 1 << 30], 40, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn long_random_traces_give_the_answers_of_the_oracle(text in traces(500..3000), seed: u64) {
        check("long random", text.as_bytes(), &[700, 5000, 1 << 30], 100, seed);
    }
}

/// Lines that belong to earlier and later instructions, some of them repeated in any order.
#[test]
fn lines_in_another_order_give_the_answers_of_the_oracle() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/order"));
    let texts = ["early", "late", "named"]
        .map(|name| std::fs::read_to_string(folder.join(name).with_extension("tarmac")).unwrap());
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    for (text, seed) in texts.iter().zip(0..) {
        check(
            "another order",
            text.as_bytes(),
            &[1, 64, 300, 1 << 30],
            100,
            3 * seed,
        );
        for round in 1..20 {
            let mut dice = Dice(100 * seed + round);
            let mut long = text.clone();
            for _ in 0..dice.below(200) {
                let _ = writeln!(long, "{}", dice.pick(&lines).unwrap());
            }
            check(
                "another order, at random",
                long.as_bytes(),
                &[64, 1000, 1 << 30],
                30,
                3 * round,
            );
        }
    }
}

#[test]
fn real_traces_give_the_answers_of_the_oracle() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures"));
    let mut paths: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "tarmac")
    });
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = std::fs::read(&path).unwrap();
        check(
            &path.display().to_string(),
            &text,
            &[4 << 10, 64 << 10, 1 << 30],
            300,
            1,
        );
    }
}

#[test]
fn large_traces_give_the_answers_of_the_oracle() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES").map(PathBuf::from) else {
        println!("skipped: STEPBACK_TRACES is not set");
        return;
    };
    for name in ["lua/lua.small", "own/overflow_bare.small", "own/amp.small"] {
        let packed = traces.join("tarmac").join(format!("{name}.tarmac.zst"));
        let unpacked = Command::new("zstd")
            .arg("-dc")
            .arg(&packed)
            .output()
            .expect("zstd is needed for packed traces");
        assert!(unpacked.status.success(), "{}", packed.display());
        check(name, &unpacked.stdout, &[100_000], 2000, 1);
        println!("{name}: 2000 questions");
    }
}

/// Compares small indexes of a trace that once gave different answers.
fn check_small(name: &str, text: &str) {
    let sizes = [1, 64, 100, 150, 200, 250, 300, 400, 1 << 30];
    for (seed, line_end) in [(1, "\n"), (2, "\r\n")] {
        check(
            name,
            text.replace('\n', line_end).as_bytes(),
            &sizes,
            300,
            seed,
        );
    }
}

#[test]
fn an_access_after_one_that_no_step_did_is_found() {
    check_small(
        "dump of a late thread",
        "1 clk cpu0 IT (1) 00008000 d503201f O EL3h_s : NOP\n\
         1 clk cpu1 MW1 00001000:000000001000 11\n\
         1 clk cpu0 MW1 00001000:000000001000 22\n\
         2 clk cpu0 IT (2) 00008004 d503201f O EL3h_s : NOP\n",
    );
}

#[test]
fn of_two_reads_by_one_step_the_first_alone_contradicts() {
    check_small(
        "two reads",
        "1 clk IT (1) 00008000 d503201f O EL3h_s : NOP\n\
         1 clk MW1 00001000:000000001000 11\n\
         2 clk IT (2) 00008004 d503201f O EL3h_s : NOP\n\
         2 clk MR1 00001000:000000001000 22\n\
         2 clk MR1 00001000:000000001000 22\n\
         2 clk MR8 00000ffc:000000000ffc 0000002200000000\n",
    );
}

#[test]
fn a_difference_names_the_step_of_the_thread_that_wrote() {
    check_small(
        "write behind the step of another thread",
        "1 clk cpu1 IT (1) 00008000 d503201f O EL3h_s : NOP\n\
         2 clk cpu0 IT (1) 00008000 d503201f O EL3h_s : NOP\n\
         2 clk cpu0 MW4 00001000:000000001000 11223344\n\
         2 clk cpu1 MW1 00001000:000000001000 55\n\
         3 clk cpu0 IT (2) 00008004 d503201f O EL3h_s : NOP\n\
         3 clk cpu1 MR1 00001001:000000001001 99\n",
    );
}

#[test]
fn several_threads_between_two_steps_do_not_hide_each_other() {
    check_small(
        "both write, and one reads and writes",
        "1 clk cpu1 IT (1) 00001000 d503201f O EL1h_s : NOP\n\
         2 clk cpu0 IT (1) 00001000 d503201f O EL1h_s : NOP\n\
         2 clk cpu1 MW1 00001030:000000001030 01\n\
         2 clk cpu0 MW4 00001030:000000001030 00000002\n\
         3 clk cpu0 IT (2) 00002004 d503201f O EL1h_s : NOP\n\
         3 clk cpu0 MR4 00001030:000000001030 00000001\n\
         3 clk cpu2 MW4 00001030:000000001030 00000001\n\
         3 clk cpu1 MR4 00001030:000000001030 00000002\n\
         3 clk cpu0 MW4 00001030:000000001030 00000003\n\
         4 clk cpu2 IT (1) 00001000 d503201f O EL1h_s : NOP\n\
         4 clk cpu1 R X0 0000000000000001\n",
    );
}

#[test]
fn a_stretch_without_instructions_that_fills_segments_hides_nothing() {
    for seed in 0..6 {
        let (mut text, mut dice) = (String::new(), Dice(seed));
        for step in 1..8u64 {
            let cpu = dice.below(2);
            writeln!(
                text,
                "{step} clk cpu{cpu} IT ({step}) {:08x} d503201f O EL1h_s : NOP",
                0x8000 + 4 * step
            )
            .unwrap();
            // Small segments are closed after 64 accesses, so most of these fill several.
            for _ in 0..dice.below(300) {
                let (cpu, address, value) =
                    (dice.below(2), 0x1000 + dice.below(200), dice.below(3));
                let kind = dice.pick(&["MR1", "MR4", "MW1", "MW4"]).unwrap();
                let digits = if kind.ends_with('1') { 2 } else { 8 };
                writeln!(
                    text,
                    "{step} clk cpu{cpu} {kind} {address:08x}:{address:012x} {value:0digits$x}"
                )
                .unwrap();
            }
            writeln!(text, "{step} clk cpu{cpu} R X0 {step:016x}").unwrap();
        }
        check(
            "stretches",
            text.as_bytes(),
            &[64, 3000, 1 << 30],
            100,
            seed,
        );
    }
}

#[test]
fn values_that_no_step_wrote_do_not_count_against_the_limit() {
    check_small(
        "values of a late thread",
        "1 clk cpu0 IT (1) 00008000 d503201f O EL3h_s : NOP\n\
         1 clk cpu1 R X0 0000000000000005\n\
         2 clk cpu0 IT (2) 00008004 d503201f O EL3h_s : NOP\n\
         2 clk cpu0 R X1 0000000000000005\n",
    );
}

#[test]
fn the_program_counter_is_the_next_step_whatever_was_written_into_it() {
    check_small(
        "pc written",
        "0 clk R pc 0000000000001234\n\
         1 clk IT (1) 00008000 d503201f O EL3h_s : NOP\n\
         1 clk R pc 0000000000005678\n\
         2 clk IT (2) 00008004 d503201f O EL3h_s : NOP\n\
         2 clk R pc 0000000000009abc\n",
    );
}

#[test]
fn a_thread_without_steps_has_the_registers_of_the_trace() {
    check_small(
        "thread without steps",
        "0 clk cpu1 R r0 00000005\n\
         1 clk cpu0 IT (1) 00008000 e1a00000 A svc : NOP\n\
         1 clk cpu1 R d1 1111111122222222\n",
    );
}

#[test]
fn a_link_register_from_before_a_transfer_makes_no_call_after_a_seam_either() {
    let mut text = String::new();
    for step in 1..9 {
        writeln!(
            text,
            "{step} clk cpu{} IT (1) 00008000 d503201f O EL3h_s : NOP",
            step % 2
        )
        .unwrap();
    }
    text += "8 clk cpu1 R X30 0000000000009008\n\
             9 clk cpu1 IT (2) 00009000 d503201f O EL3h_s : NOP\n\
             10 clk cpu1 IT (3) 00009004 d503201f O EL3h_s : NOP\n\
             11 clk cpu1 IT (4) 0000a000 d503201f O EL3h_s : NOP\n\
             12 clk cpu1 IT (5) 00009008 d503201f O EL3h_s : NOP\n";
    // Some of these sizes cut just before the last step of cpu0.
    let sizes: Vec<u64> = (40..600).step_by(7).collect();
    check("link register", text.as_bytes(), &sizes, 5, 1);
}

#[test]
fn what_a_call_of_another_stack_calls_later_is_no_child_of_the_frame_around() {
    check_small(
        "two stacks",
        "1 clk IT (1) 00008000 d503201f O EL3h_s : NOP\n\
         1 clk R X30 0000000000008004\n\
         2 clk IT (2) 00009000 d503201f O EL3h_s : NOP\n\
         2 clk R sp_el3 0000000000002000\n\
         2 clk R X30 0000000000009004\n\
         3 clk IT (3) 0000a000 d503201f O EL3h_s : NOP\n\
         4 clk IT (4) 00008004 d503201f O EL3h_s : NOP\n\
         4 clk R X30 0000000000008008\n\
         5 clk IT (5) 0000b000 d503201f O EL3h_s : NOP\n\
         6 clk IT (6) 00008008 d503201f O EL3h_s : NOP\n",
    );
}

#[test]
fn effects_that_come_late_do_not_depend_on_how_many_steps_are_requested() {
    let mut text = String::from("1 clk cpu1 IT (1) 00008000 d503201f O EL3h_s : NOP\n");
    for step in 2..1100 {
        writeln!(
            text,
            "{step} clk cpu0 IT (1) 00008000 d503201f O EL3h_s : NOP"
        )
        .unwrap();
        if step % 5 == 0 && step > 1000 {
            writeln!(text, "{step} clk cpu1 R X0 {step:016x}").unwrap();
        }
    }
    check("late effects", text.as_bytes(), &[5000, 1 << 30], 100, 1);
    let index = index_of(&open(text.as_bytes(), Endian::Little), 5000, 1);
    let effects = |count| {
        let steps = Steps {
            first: Step(0),
            count,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        steps.first().map(|step| step.effects.len())
    };
    assert_eq!((effects(1), effects(90)), (Some(5), Some(5)));
}

#[test]
fn a_timestamp_after_an_instruction_without_one_is_the_same_in_parts() {
    check_small(
        "instruction without a time",
        "0 clk R X0 0000000000000005\n\
         IT (1) 00008000 d503201f O EL3h_s : NOP\n\
         0 clk EXC reset\n\
         IT (2) 00008004 d503201f O EL3h_s : NOP\n\
         5 clk MR1 00001000:000000001000 11\n\
         5 clk IT (3) 00008008 d503201f O EL3h_s : NOP\n\
         IT (4) 0000800c d503201f O EL3h_s : NOP\n\
         5 clk MR1 00001000:000000001000 22\n\
         5 clk IT (5) 00008010 d503201f O EL3h_s : NOP\n",
    );
}
