//! Indexes of generated traces of a million steps, compared with the generator's truth and with the
//! oracle.

mod killed;
mod truths;

use std::sync::Arc;

use stepback_generator::{Recipe, Shape, Size, Style};
use stepback_index::oracle::Oracle;
use stepback_machine::Endian;
use stepback_parsers::Source;

use crate::support::compare::{Comparison, Things, index_of, open};
use crate::support::dice::Dice;
use truths::Truths;

/// Kinds of queries that are cheap for the oracle on long traces.
const QUICK: [u64; 7] = [4, 5, 6, 7, 9, 10, 12];
const MILLION: u64 = 1_000_000;
/// Sampling interval of queries, in steps.
const EVERY: u64 = 1500;

/// Compares the index with the truth, for two segment sizes.
fn check(shape: Shape, style: Style, steps: u64) -> Arc<dyn Source> {
    let recipe = Recipe {
        shape,
        style,
        size: Size::Steps(steps),
        seed: 7,
    };
    let (text, truth) = recipe.text_with_truth(EVERY);
    let tarmac = open(&text, Endian::Little);
    drop(text);
    for segment_bytes in [700_000, 16 << 20] {
        let index = index_of(&tarmac, segment_bytes, 2);
        let name = format!("{shape:?} {style:?}, segments of {segment_bytes}");
        Truths {
            truth: &truth,
            index: &index,
            name,
        }
        .check();
    }
    tarmac
}

/// Compares indexes of two segment sizes with the oracle, with a number of queries of some kinds or
/// of all.
fn compare(steps: u64, segment_sizes: [u64; 2], kinds: &[u64], questions: u64) {
    let recipe = Recipe {
        size: Size::Steps(steps),
        seed: 9,
        ..Recipe::default()
    };
    let tarmac = open(&recipe.text(), Endian::Little);
    let oracle = Oracle::of(tarmac.as_ref()).unwrap();
    let things = Things::of(&oracle);
    for segment_bytes in segment_sizes {
        let index = index_of(&tarmac, segment_bytes, 2);
        let name = format!("{steps} steps, segments of {segment_bytes}");
        let comparison = Comparison {
            index,
            oracle: &oracle,
            things: &things,
            name,
        };
        comparison.whole();
        let mut dice = Dice(segment_bytes);
        for _ in 0..questions {
            match dice.pick(kinds) {
                Some(kind) => comparison.ask_of_kind(kind, &mut dice),
                None => comparison.ask(&mut dice),
            }
        }
    }
}

#[test]
fn a_million_steps_of_a_program_are_indexed_as_they_were_made() {
    check(Shape::Program, Style::FastModels, MILLION);
}

#[test]
fn a_million_steps_with_diagrams_are_indexed_as_they_were_made() {
    check(Shape::Program, Style::Es, MILLION);
}

#[test]
fn code_and_memory_that_is_new_at_every_step_is_indexed_as_it_was_made() {
    check(Shape::Hostile, Style::FastModels, MILLION / 4);
    check(Shape::Scattered, Style::Es, MILLION / 4);
}

#[test]
fn a_copy_without_end_is_indexed_as_it_was_made() {
    check(Shape::Streaming, Style::FastModels, MILLION / 4);
    check(Shape::Streaming, Style::Es, MILLION / 4);
}

#[test]
fn a_million_steps_give_the_answers_of_the_oracle() {
    compare(MILLION, [1 << 20, 50 << 20], &QUICK, 1750);
}

#[test]
fn questions_that_go_through_all_of_a_long_trace_have_the_answers_of_the_oracle() {
    compare(MILLION / 20, [100_000, 1 << 20], &[], 90);
}
