//! Measures queries about traces with thousands of threads: `cargo bench --bench many_threads`.
//!
//! 4,000 threads take turns, in ten million steps: as cores of a Tarmac trace, and as threads of
//! one drmemtrace file. Each kind of query runs at random places for random threads. Then all
//! markers are visited, in traces of three sizes. An argument reduces the number of threads and
//! steps: `-- 1000` uses a thousand threads and 2.5 million steps.

#![expect(clippy::print_stdout, reason = "a report")]

mod questions;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use stepback_benches::percentiles::Times;
use stepback_benches::places::Places;
use stepback_benches::thread_cpu_time;
use stepback_generator::drmemtrace::Container;
use stepback_generator::{Crowd, Dice};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::FindMarkers;
use stepback_index::{Cancel, Index, Query as _};
use stepback_parsers::drmemtrace::Drmemtrace;
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::{MarkerKind, Position, Source, Tarmac, TarmacOptions, TraceFile};

use questions::questions;

const THREADS: u64 = 4000;
const STEPS_A_THREAD: u64 = 2500;
/// Number of queries of each kind.
const COUNT: usize = 3000;
/// Time limit for all queries of a slow kind.
const LONGEST: Duration = Duration::from_secs(10);
/// Number of markers per query.
const BATCH: usize = 4096;

fn main() -> Result<()> {
    if cfg!(debug_assertions) {
        // `cargo test --benches` runs this too.
        println!("nothing is measured without optimisation");
        return Ok(());
    }
    let threads = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(THREADS);
    report("Tarmac", &tarmac(threads)?)?;
    report("drmemtrace", &drmemtrace(threads)?)?;
    println!("\n== all markers, ms: threads, markers, system calls alone, all kinds");
    for part in [4, 2, 1] {
        all_markers(threads / part)?;
    }
    Ok(())
}

fn crowd(threads: u64) -> Crowd {
    Crowd {
        threads,
        steps: threads * STEPS_A_THREAD,
        seed: 1,
    }
}

fn tarmac(threads: u64) -> Result<Index> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crowd.tarmac");
    crowd(threads).write_tarmac(File::create(&path)?)?;
    let trace = Tarmac::open(Box::new(File::open(&path)?), TarmacOptions::default())?;
    let index = index_in_memory(Arc::new(trace), &BuildOptions::default())?;
    // The file stays open.
    std::fs::remove_file(path)?;
    Ok(index)
}

fn drmemtrace(threads: u64) -> Result<Index> {
    let bytes = crowd(threads).records().pack(Container::Plain);
    let file = TraceFile {
        name: "drmemtrace.core.000000.trace".to_owned(),
        data: Arc::new(bytes),
    };
    let trace = Drmemtrace::open(vec![file], CacheFileOptions::default())?;
    trace.store().wait_for(u64::MAX)?;
    trace.grow()?;
    Ok(index_in_memory(Arc::new(trace), &BuildOptions::default())?)
}

/// Runs all kinds of queries and prints their times.
fn report(name: &str, index: &Index) -> Result<()> {
    println!(
        "\n== {name}: {} threads, {} steps",
        index.threads().len(),
        index.step_count()
    );
    println!("question, ms: p50 p99 max | CPU of them | found of 1000");
    let mut dice = Dice(1);
    let sample = Places::of(index, &mut dice, 8)?;
    for (name, question) in questions() {
        let (mut wall, mut cpu, mut found, mut requested) =
            (Times::default(), Times::default(), 0, 0);
        let start = Instant::now();
        while requested < COUNT && start.elapsed() < LONGEST {
            requested += 1;
            let before = thread_cpu_time();
            found += usize::from(wall.measure(|| question(index, &sample, &mut dice))?);
            cpu.add(
                thread_cpu_time()
                    .zip(before)
                    .map(|(after, before)| after.saturating_sub(before)),
            );
        }
        println!(
            "{name:<32}{} |{} | {}",
            wall.summary(),
            cpu.summary(),
            found * 1000 / requested
        );
    }
    Ok(())
}

/// Visits all markers of a trace, like `syscalls` and `find marker --all`.
fn all_markers(threads: u64) -> Result<()> {
    let index = drmemtrace(threads)?;
    let walk = |kinds: &[MarkerKind]| -> Result<(usize, u128)> {
        let (start, mut from, mut count) = (Instant::now(), Position(0), 0);
        loop {
            let question = FindMarkers {
                kinds: kinds.to_vec(),
                thread: None,
                from,
                to: index.end(),
                limit: BATCH,
            };
            let hits = question.run(&index, &Cancel::default())?;
            count += hits.len();
            match hits
                .last()
                .filter(|last| hits.len() >= BATCH && last.position < index.end())
            {
                Some(last) => from = Position(last.position.0 + 1),
                None => return Ok((count, start.elapsed().as_millis())),
            }
        }
    };
    let (_, calls) = walk(&[MarkerKind::SYSTEM_CALL])?;
    let (count, all) = walk(&[])?;
    println!("{threads:>6} {count:>9} {calls:>6} {all:>6}");
    Ok(())
}
