//! Medians of builds and searches, by the framework: `cargo bench --bench speed`.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use divan::Bencher;
use divan::counter::BytesCount;
use stepback_benches::{Trace, traces};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{FindText, RegistersAt};
use stepback_index::{Cancel, Index, Query as _};
use stepback_parsers::{Position, Source};

fn main() {
    if cfg!(debug_assertions) {
        // `cargo test --benches` runs this too.
        return;
    }
    divan::main();
}

fn all() -> &'static [Trace] {
    static ALL: OnceLock<Vec<Trace>> = OnceLock::new();
    ALL.get_or_init(|| {
        traces(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap_or_else(|error| panic!("{error:#}"))
    })
}

fn names() -> impl Iterator<Item = &'static str> {
    all().iter().map(|trace| trace.name.as_str())
}

fn named(name: &str) -> (Arc<dyn Source>, BytesCount) {
    let trace = all()
        .iter()
        .find(|trace| trace.name == name)
        .unwrap_or_else(|| panic!("no trace {name}"));
    let source = trace.open().unwrap_or_else(|error| panic!("{error:#}"));
    let bytes = trace.path.metadata().map_or(0, |metadata| metadata.len());
    (source, BytesCount::new(bytes))
}

fn index_of(source: &Arc<dyn Source>, threads: usize) -> Index {
    let options = BuildOptions {
        threads,
        ..BuildOptions::default()
    };
    index_in_memory(Arc::clone(source), &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Builds an index in memory.
#[divan::bench(args = names(), consts = [1, 2], sample_count = 5, sample_size = 1)]
fn build<const THREADS: usize>(bencher: Bencher<'_, '_>, name: &str) {
    let (source, bytes) = named(name);
    bencher
        .counter(bytes)
        .bench_local(|| index_of(&source, THREADS));
}

/// Searches for text that does not occur.
#[divan::bench(args = names(), sample_count = 5, sample_size = 1)]
fn search(bencher: Bencher<'_, '_>, name: &str) {
    let (source, bytes) = named(name);
    let index = index_of(&source, 2);
    let pattern = "no such text"
        .parse()
        .unwrap_or_else(|error| panic!("{error}"));
    let question = FindText {
        what: pattern,
        thread: None,
        from: Position(0),
        limit: 1,
    };
    bencher
        .counter(bytes)
        .bench_local(|| question.run(&index, &Cancel::default()));
}

/// Reads all registers at places all over the trace.
#[divan::bench(args = names(), sample_count = 1000)]
fn registers(bencher: Bencher<'_, '_>, name: &str) {
    let index = index_of(&named(name).0, 2);
    let mut place = 0u64;
    bencher.bench_local(|| {
        place = place.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let position = Position(place % (index.step_count() + 1));
        RegistersAt {
            position,
            thread: None,
        }
        .run(&index, &Cancel::default())
    });
}
