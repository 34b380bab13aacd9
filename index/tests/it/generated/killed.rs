//! Builds that are killed at any moment, as by a crash or `kill -9`.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use stepback_generator::{Dice, Recipe, Size};
use stepback_index::build::{Build, BuildOptions, BuildProgress, Fingerprint, open_so_far};
use stepback_index::{Cancel, Index, OpenError};
use stepback_parsers::{EventSink, ParseScratch, ParsedRange, Source, SourceError, Tarmac};

use super::truths::Truths;
use crate::support::delegate::{Delegate, Through};

/// Environment variable that names the trace to the child process.
const TRACE: &str = "STEPBACK_TEST_KILLED_TRACE";
const STEPS: u64 = 20_000;

/// A trace that parses slowly, so that there is time to kill the build.
struct Slow(Tarmac);

impl Delegate for Slow {
    fn trace(&self) -> &Tarmac {
        &self.0
    }

    fn parse_part(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError> {
        std::thread::sleep(Duration::from_millis(20));
        self.0.parse(range, scratch, sink)
    }
}

fn opened(trace: &Path) -> (Arc<dyn Source>, Fingerprint) {
    let tarmac = Tarmac::open(Box::new(File::open(trace).unwrap()), Default::default()).unwrap();
    let fingerprint = Fingerprint::of(&tarmac, 0).unwrap();
    (Arc::new(Through(Slow(tarmac))), fingerprint)
}

/// Builds the index of a trace next to it; returns the progress of an earlier build.
fn build(trace: &Path) -> u64 {
    let (source, fingerprint) = opened(trace);
    let (progress, cancel) = (BuildProgress::default(), Cancel::default());
    let options = BuildOptions {
        segment_bytes: 100_000,
        threads: 2,
    };
    let build = Build::new(&source, &fingerprint, &options, &progress, &cancel);
    build
        .reporting_parts(&|_| {})
        .to_file(&index_of(trace))
        .unwrap()
        .resumed_bytes
}

fn index_of(trace: &Path) -> PathBuf {
    trace.with_added_extension("sbi")
}

/// Child process of the test below, which kills it. On its own it does nothing.
#[test]
fn a_build_to_be_killed() {
    if let Some(trace) = std::env::var_os(TRACE) {
        build(Path::new(&trace));
    }
}

#[test]
fn a_build_that_is_killed_fifty_times_is_never_trusted_by_half_and_comes_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("a.tarmac");
    let recipe = Recipe {
        size: Size::Steps(STEPS),
        ..Recipe::default()
    };
    let truth = recipe
        .write_with_truth(File::create(&trace).unwrap(), 2500)
        .unwrap();
    let mut dice = Dice(4);
    let (mut parts, mut farthest) = (0, 0);
    for _ in 0..50 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "generated::killed::a_build_to_be_killed"])
            .env(TRACE, &trace)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(dice.below(300)));
        child.kill().unwrap();
        child.wait().unwrap();
        let (source, fingerprint) = opened(&trace);
        match Index::open(Arc::clone(&source), &index_of(&trace), &fingerprint) {
            Ok(index) => {
                Truths {
                    truth: &truth,
                    index: &index,
                    name: "whole".to_owned(),
                }
                .check();
                // Starts the next trace from the beginning.
                std::fs::remove_file(index_of(&trace)).unwrap();
                farthest = 0;
            }
            Err(OpenError::Missing) => {}
            Err(error) => panic!("{error}"),
        }
        if let Ok(index) = open_so_far(source, &index_of(&trace), &fingerprint) {
            parts += 1;
            assert!(index.text_end() >= farthest, "what is done is not lost");
            farthest = index.text_end();
            Truths {
                truth: &truth,
                index: &index,
                name: format!("{} steps", index.step_count()),
            }
            .check_part();
        }
    }
    assert!(parts > 5, "{parts} of 50 were killed in the middle");
    let resumed = build(&trace);
    assert!(resumed >= farthest, "{resumed} of {farthest}");
    let (source, fingerprint) = opened(&trace);
    let index = Index::open(source, &index_of(&trace), &fingerprint).unwrap();
    Truths {
        truth: &truth,
        index: &index,
        name: "the last one".to_owned(),
    }
    .check();
    let left: Vec<_> = folder
        .path()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
