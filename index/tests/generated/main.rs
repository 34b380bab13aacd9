//! Indexes of generated traces of a million steps, against what the generator knows of itself.

#![expect(clippy::unwrap_used, reason = "a test that panics fails")]

mod killed;
mod truths;

use std::sync::Arc;

use stepback_generator::{Recipe, Shape, Size, Style};
use stepback_index::{BuildOptions, Index};
use stepback_parsers::{Tarmac, TarmacOptions};

use truths::Truths;

const MILLION: u64 = 1_000_000;
/// About one question in so many steps is drawn as a sample.
const EVERY: u64 = 1500;

/// Compares the index with what is true, for two segment sizes.
fn check(shape: Shape, style: Style, steps: u64) {
    let recipe = Recipe { shape, style, size: Size::Steps(steps), seed: 7 };
    let (text, truth) = recipe.text_with_truth(EVERY);
    let tarmac = Arc::new(Tarmac::open(Box::new(text), TarmacOptions::default()).unwrap());
    for segment_bytes in [700_000, 16 << 20] {
        let options = BuildOptions { segment_bytes, threads: 2 };
        let index = Index::in_memory(Arc::clone(&tarmac), &options).unwrap();
        let name = format!("{shape:?} {style:?}, segments of {segment_bytes}");
        Truths { truth: &truth, index: &index, name }.check();
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
