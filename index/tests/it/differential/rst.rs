//! Compares the index of RST traces with the oracle, with and without values.

use std::path::Path;
use std::sync::Arc;

use stepback_index::oracle::Oracle;
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::rst::Rst;
use stepback_parsers::{Source, TraceFile};

use crate::support::compare::{Comparison, Things, index_of};
use crate::support::dice::Dice;

/// The queries of [`Comparison::ask_of_kind`] that need neither text lines, times nor calls: the
/// oracle does not model delay slots.
const KINDS: [u64; 12] = [0, 1, 2, 4, 6, 8, 9, 12, 15, 17, 19, 21];

fn check(name: &str, segment_steps: &[u64], questions: u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/rst")
        .join(name);
    let file = TraceFile {
        name: name.to_owned(),
        data: Arc::new(std::fs::read(path).unwrap()),
    };
    let trace = Rst::open(vec![file], CacheFileOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    let source: Arc<dyn Source> = Arc::new(trace);
    let oracle = Oracle::of(source.as_ref()).unwrap();
    let things = Things::of(&oracle);
    for (number, steps) in segment_steps.iter().enumerate() {
        let index = index_of(&source, 16 * steps, 1 + number % 3);
        let comparison = Comparison {
            index,
            oracle: &oracle,
            things: &things,
            name: format!("{name} by {steps} steps"),
        };
        comparison.whole_beside_calls();
        let mut dice = Dice(*steps);
        (0..questions).for_each(|_| comparison.ask_of_kind(dice.pick(&KINDS).unwrap(), &mut dice));
    }
}

#[test]
fn traces_of_rst_give_the_answers_of_the_oracle() {
    for name in ["small.rst", "cti.rst"] {
        check(name, &[7, 300, 1 << 20], 300);
    }
}

#[test]
fn a_trace_of_rst_without_values_gives_the_answers_of_the_oracle() {
    check("small_nv.rz3.gz", &[7, 300, 1 << 20], 60);
}
