//! Programs, recordings, and the reconstructed paths.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepback_parsers::btrace::{BranchLayout, BranchRecord, Btrace, BtraceOptions};
use stepback_parsers::files::{PackedKind, head_of};
use stepback_parsers::{
    CodePart, EventSink, Gap, MarkerEvent, ParseScratch, Problem, ProgramFile, Source as _,
    StepEvent, StepOrigin, ThreadNumber, TraceFile,
};

/// Returns the folder of the long traces. Prints a note and returns none if it is not set.
pub fn traces() -> Option<PathBuf> {
    let folder =
        std::env::var_os("STEPBACK_TRACES").map(|folder| PathBuf::from(folder).join("btrace"));
    if folder.is_none() {
        println!("skipped: STEPBACK_TRACES names no folder of real traces");
    }
    folder
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/btrace")
        .join(name)
}

/// Reads a file and unpacks zstd.
pub fn content(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    match PackedKind::of(&bytes).unwrap() {
        Some(kind) => head_of(Arc::new(bytes), kind, 1 << 30).unwrap().text,
        None => bytes,
    }
}

/// Wraps bytes as a trace file.
pub fn file(bytes: Vec<u8>) -> TraceFile {
    TraceFile {
        name: "a.btf".to_owned(),
        data: Arc::new(bytes),
    }
}

/// Reads the executable parts of a 64-bit big-endian ELF file.
pub fn program(path: &Path) -> ProgramFile {
    let elf = fs::read(path).unwrap();
    let number = |offset: usize, bytes: usize| {
        elf[offset..offset + bytes]
            .iter()
            .fold(0u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let place = |header: u64| number(32, 8) as usize + 56 * header as usize;
    let is_code = |header: &usize| number(*header, 4) == 1 && number(header + 4, 4) & 1 == 1;
    let part = |header: usize| {
        let (offset, size) = (
            number(header + 8, 8) as usize,
            number(header + 32, 8) as usize,
        );
        CodePart {
            address: number(header + 16, 8),
            bytes: elf[offset..offset + size].into(),
        }
    };
    let parts = (0..number(56, 2))
        .map(place)
        .filter(is_code)
        .map(part)
        .collect();
    ProgramFile {
        name: "program".to_owned(),
        entry: Some(number(24, 8)),
        parts,
    }
}

/// An item of the shown trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    Step { pc: u64, is_executed: bool },
    Gap(Gap),
}

/// The shown items of all threads.
#[derive(Debug, Default)]
pub struct WholePath {
    pub names: Vec<String>,
    pub shown: Vec<(ThreadNumber, Shown, StepOrigin)>,
    pub times: Vec<Option<u64>>,
    pub problems: Vec<String>,
}

impl WholePath {
    /// Formats the steps of one thread, one per line as in the golden files. Inferred steps are
    /// separate.
    pub fn lines(&self, thread: &str) -> (Vec<String>, Vec<String>) {
        let of_thread = |(number, ..): &&(ThreadNumber, Shown, StepOrigin)| {
            self.names[usize::from(number.0)] == thread
        };
        let line = |(_, shown, origin): &(ThreadNumber, Shown, StepOrigin)| {
            let line = match shown {
                Shown::Step { pc, is_executed } => {
                    format!("{pc:016x}{}", if *is_executed { "" } else { " A" })
                }
                Shown::Gap(_) => "# GAP".to_owned(),
            };
            (line, *origin == StepOrigin::Inferred)
        };
        let lines: Vec<_> = self.shown.iter().filter(of_thread).map(line).collect();
        let whole = lines.iter().map(|(line, _)| line.clone()).collect();
        (
            whole,
            lines
                .into_iter()
                .filter(|(_, is_inferred)| *is_inferred)
                .map(|(line, _)| line)
                .collect(),
        )
    }

    pub fn gaps(&self) -> Vec<Gap> {
        let gap = |(_, shown, _): &(ThreadNumber, Shown, StepOrigin)| match shown {
            Shown::Gap(gap) => Some(*gap),
            Shown::Step { .. } => None,
        };
        self.shown.iter().filter_map(gap).collect()
    }
}

impl EventSink for WholePath {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let shown = Shown::Step {
            pc: step.pc.0,
            is_executed: step.is_executed,
        };
        self.shown.push((step.thread, shown, step.origin));
        self.times.push(step.time);
    }

    fn marker(&mut self, event: &MarkerEvent) {
        if let Some(gap) = Gap::of(event.marker) {
            self.shown
                .push((event.thread, Shown::Gap(gap), StepOrigin::Recorded));
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.problems.push(problem.kind.to_string());
    }
}

/// Reconstructs a recording with the files of a program.
pub fn path_with(bytes: Vec<u8>, options: BtraceOptions) -> (WholePath, Btrace) {
    let trace = Btrace::open(
        file(bytes),
        options,
        stepback_parsers::files::CacheFileOptions::default(),
    )
    .unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    let mut path = WholePath::default();
    trace
        .parse(0..trace.length(), &mut ParseScratch::default(), &mut path)
        .unwrap();
    (path, trace)
}

pub fn path_of(bytes: Vec<u8>, program: ProgramFile) -> WholePath {
    path_with(
        bytes,
        BtraceOptions {
            program: vec![program],
            layout: None,
        },
    )
    .0
}

/// Encodes records as in a file.
pub fn written(records: &[BranchRecord]) -> Vec<u8> {
    let layout = BranchLayout::own(0);
    let mut bytes = Vec::new();
    records
        .iter()
        .for_each(|record| layout.write(record, &mut bytes));
    bytes
}
