//! Commit logs of RISC-V with 32-bit and 64-bit registers, traps and two harts.

use proptest::prelude::*;
use stepback_index::oracle::Oracle;
use stepback_parsers::{Format, TraceAssumptions};

use crate::support::commit_log::write;
use crate::support::compare::{Comparison, Things, index_of};
use crate::support::dice::Dice;

/// Kinds of questions of [`Comparison::ask_of_kind`] without those about calls, folds and lines: the
/// index begins with the record of a step where a line has two.
const QUESTIONS: [u64; 12] = [0, 2, 4, 6, 8, 9, 12, 13, 14, 15, 17, 21];

/// Compares indexes of a log, built with different segment sizes, with the oracle.
fn check(text: &str, segment_sizes: &[u64], questions: u64, seed: u64) {
    let input = Box::new(text.as_bytes().to_vec());
    let log = Format::CommitLog
        .open_text(input, TraceAssumptions::default())
        .unwrap();
    let oracle = Oracle::of(log.as_ref()).unwrap();
    let things = Things::of(&oracle);
    for (number, segment_bytes) in segment_sizes.iter().enumerate() {
        let comparison = Comparison {
            index: index_of(&log, *segment_bytes, 1 + number % 3),
            oracle: &oracle,
            things: &things,
            name: format!("commit log, segments of {segment_bytes}:\n{text}"),
        };
        comparison.whole_beside_calls();
        let mut dice = Dice(seed);
        for _ in 0..questions {
            // The oracle finds calls of Arm only.
            let kind = dice.pick(&QUESTIONS).unwrap_or_default();
            comparison.ask_of_kind(kind, &mut dice);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_commit_logs_give_the_answers_of_the_oracle(steps in 0u64..80, seed: u64) {
        check(&write(steps, seed), &[64, 300, 1 << 30], 40, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn long_random_commit_logs_give_the_answers_of_the_oracle(steps in 500u64..2000, seed: u64) {
        check(&write(steps, seed), &[5000, 1 << 30], 100, seed);
    }
}
