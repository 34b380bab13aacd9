//! Stretches without instructions have no cut points: they are written while they are read, and
//! otherwise behave like other text.

use std::fmt::Write as _;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_machine::{Address, RegisterId};
use stepback_parsers::{
    EventSink, Flow, MarkerEvent, MemoryAccess, ParseScratch, ParsedRange, Position, Problem,
    RegisterWrite, Source, SourceError, StepEvent, Tarmac, TextEvent, ThreadNumber,
};

use crate::answers::error::{BuildError, Cancel};
use crate::builder::build_index::{
    Build, BuildOptions, BuildProgress, BuildSummary, index_in_memory,
};
use crate::builder::tests::delegate::{Delegate, Through};
use crate::index::Index;
use crate::query::memory::MemoryAt;
use crate::query::question::Query as _;
use crate::query::registers::RegistersAt;
use crate::store::fingerprint::Fingerprint;

/// Results in hundreds of segments for the stretch of [`text`].
const SEGMENT_BYTES: u64 = 64 << 10;

/// Calls of one function, with a store each.
fn steps(text: &mut String, numbers: Range<u64>) {
    for number in numbers {
        writeln!(
            text,
            "{number} clk IT ({number}) {:08x} d503201f O EL3h_s : NOP",
            0x1000 + 4 * number
        )
        .unwrap();
        writeln!(
            text,
            "{number} clk R X1 {number:016x}\n{number} clk MW4 00008000 {number:08x}"
        )
        .unwrap();
    }
}

/// Returns some steps, 9 MB of stores and loads without one, and some steps again; and the offset
/// of the stretch.
fn text() -> (String, u64) {
    let mut text = String::new();
    steps(&mut text, 1..4000);
    let start = text.len() as u64;
    for number in 0..320_000u64 {
        let kind = if number % 11 == 0 { "MR4" } else { "MW4" };
        writeln!(
            text,
            "4000 clk {kind} {:08x} {number:08x}",
            0x8000 + number * 68 % 0x30_0000
        )
        .unwrap();
    }
    steps(&mut text, 4001..4100);
    (text, start)
}

/// A trace that reports the progress of its parser.
struct ObservedTrace<F> {
    trace: Tarmac,
    on_progress: F,
}

/// A sink that passes all events on and also reports the progress.
struct ObservedSink<'a> {
    sink: &'a mut dyn EventSink,
    on_progress: &'a (dyn Fn(u64) + Sync),
}

impl EventSink for ObservedSink<'_> {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        self.sink.thread_named(thread, name);
    }

    fn register_named(&mut self, register: RegisterId, name: &str, size_bytes: u16) {
        self.sink.register_named(register, name, size_bytes);
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.sink.begin_step(step);
    }

    fn scattered_values(&mut self) {
        self.sink.scattered_values();
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.sink.register_write(write);
    }

    fn access(&mut self, access: &MemoryAccess) {
        self.sink.access(access);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.sink.text(event);
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.sink.marker(event);
    }

    fn problem(&mut self, problem: &Problem) {
        self.sink.problem(problem);
    }

    fn progress(&mut self, offset: u64) -> Flow {
        let flow = self.sink.progress(offset);
        (self.on_progress)(offset);
        flow
    }
}

impl<F: Fn(u64) + Send + Sync + 'static> Delegate for ObservedTrace<F> {
    fn trace(&self) -> &Tarmac {
        &self.trace
    }

    fn parse_part(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError> {
        self.trace.parse(
            range,
            scratch,
            &mut ObservedSink {
                sink,
                on_progress: &self.on_progress,
            },
        )
    }
}

fn tarmac_of(text: &str) -> Tarmac {
    Tarmac::open(Box::new(text.as_bytes().to_vec()), Default::default()).unwrap()
}

/// Builds the index of a text, with a callback at each progress of the parser.
fn build(
    text: &str,
    path: &Path,
    threads: usize,
    cancel: &Cancel,
    on_progress: impl Fn(u64) + Send + Sync + 'static,
) -> Result<BuildSummary, BuildError> {
    let source: Arc<dyn Source> = Arc::new(Through(ObservedTrace {
        trace: tarmac_of(text),
        on_progress,
    }));
    let fingerprint = Fingerprint::of(source.as_ref(), 0).unwrap();
    let options = BuildOptions {
        segment_bytes: SEGMENT_BYTES,
        threads,
    };
    Build::new(
        &source,
        &fingerprint,
        &options,
        &BuildProgress::default(),
        cancel,
    )
    .to_file(path)
}

/// Returns some answers of an index in a file; without a path, of an index built in one go.
fn answers(text: &str, path: Option<&PathBuf>) -> Vec<String> {
    let tarmac = Arc::new(tarmac_of(text));
    let fingerprint = Fingerprint::of(tarmac.as_ref(), 0).unwrap();
    let at_once = BuildOptions {
        segment_bytes: 64 << 20,
        threads: 1,
    };
    let index = match path {
        Some(path) => Index::open(tarmac, path, &fingerprint).unwrap(),
        None => index_in_memory(tarmac, &at_once).unwrap(),
    };
    let info = index.info();
    let mut answers = vec![format!(
        "{} steps {} lines {} external",
        info.steps, info.lines, info.external_changes
    )];
    for position in [0, 1, 2000, 3998, 3999, 4000, 4001, 4098].map(Position) {
        let registers = RegistersAt {
            position,
            thread: None,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        let memory = MemoryAt {
            position,
            address: Address(0x8000),
            len_bytes: 512,
        };
        answers.push(format!(
            "{position:?} {registers:?} {:?}",
            memory.run(&index, &Cancel::default()).unwrap()
        ));
    }
    answers
}

#[test]
fn a_stretch_without_instructions_is_written_while_it_is_read() {
    let (text, _) = text();
    for threads in [1, 2] {
        let folder = tempfile::TempDir::new().unwrap();
        let [path, partial] = ["a.sbi", "a.sbi.partial"].map(|name| folder.path().join(name));
        let written = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&written);
        let look = move |_| {
            _ = seen.fetch_max(
                File::open(&partial).unwrap().metadata().unwrap().len(),
                Ordering::Relaxed,
            );
        };
        build(&text, &path, threads, &Cancel::default(), look).unwrap();
        let (written, whole) = (
            written.load(Ordering::Relaxed),
            path.metadata().unwrap().len(),
        );
        assert!(
            written > whole / 3,
            "{written} of {whole} bytes were written before the stretch ended"
        );
        assert_eq!(answers(&text, Some(&path)), answers(&text, None));
    }
}

#[test]
fn a_build_that_is_cancelled_inside_a_stretch_goes_on_from_before_it() {
    let (text, start) = text();
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("a.sbi");
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let look = move |offset: u64| {
        if offset > start + (2 << 20) {
            stop.cancel();
        }
    };
    assert!(matches!(
        build(&text, &path, 1, &cancel, look),
        Err(BuildError::Cancelled)
    ));
    let resumed = build(&text, &path, 2, &Cancel::default(), |_| {})
        .unwrap()
        .resumed_bytes;
    assert!(
        (start - 2 * SEGMENT_BYTES..=start).contains(&resumed),
        "{resumed} of {start}"
    );
    assert_eq!(answers(&text, Some(&path)), answers(&text, None));
}
