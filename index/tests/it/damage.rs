//! Damaged index files, and traces that change under an open index, give errors or right answers,
//! never a panic.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use proptest::prelude::*;
use stepback_index::answer::{AccessKinds, CallId, Cell, ThreadId};
use stepback_index::build::{Build, BuildOptions, BuildProgress, Fingerprint, index_in_memory};
use stepback_index::query::{
    DifferenceBetween, FindText, FindValue, LineOfStep, MemoryAt, NearestAccess, NearestVisit,
    NextAccessedBlock, NthVisit, PositionOfLine, PositionOfTime, RawLines, RegistersAt, Steps,
    TextPattern,
};
use stepback_index::{BuildError, Cancel, Index, OpenError, Query, QueryError};
use stepback_machine::{Address, Registers};
use stepback_parsers::{Line, Position, ReadAt, Source, Step, Tarmac, TarmacOptions};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

use crate::support::dice::Dice;

/// A trace with its index file.
struct Saved {
    folder: TempDir,
    source: Arc<dyn Source>,
    fingerprint: Fingerprint,
    /// The undamaged index file.
    bytes: Vec<u8>,
    places: Places,
    /// The right answers.
    right: Vec<String>,
}

/// Query parameters: positions, each with an instruction address and a memory address.
struct Places(Vec<(Position, Address, Address)>);

impl Places {
    fn of(index: &Index) -> Self {
        let end = index.end().0;
        let place = |part: u64| {
            let at = Position(end * part / 3);
            let first = Step(at.0.saturating_sub(1));
            let steps = Steps { first, count: 1 }
                .run(index, &Cancel::default())
                .unwrap();
            let block = NextAccessedBlock {
                from: Address(0x1000 * at.0),
            }
            .run(index, &Cancel::default())
            .unwrap();
            (at, steps[0].pc, block.unwrap_or(Address(0x1000)))
        };
        Self((0..4).map(place).collect())
    }
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures"));
    std::fs::read(folder.join(name)).unwrap()
}

/// Returns the first lines of a fixture.
fn head(name: &str, lines: usize) -> Vec<u8> {
    fixture(name)
        .split_inclusive(|byte| *byte == b'\n')
        .take(lines)
        .flatten()
        .copied()
        .collect()
}

fn open(input: Box<dyn ReadAt>) -> Arc<dyn Source> {
    Arc::new(Tarmac::open(input, TarmacOptions::default()).unwrap())
}

const OPTIONS: BuildOptions = BuildOptions {
    segment_bytes: 8 << 10,
    threads: 2,
};

impl Saved {
    fn of(text: Vec<u8>) -> Self {
        let (folder, source) = (TempDir::new().unwrap(), open(Box::new(text)));
        let fingerprint = Fingerprint::of(source.as_ref(), 0).unwrap();
        let path = folder.path().join("good.sbi");
        let (progress, cancel) = (BuildProgress::default(), Cancel::default());
        Build::new(&source, &fingerprint, &OPTIONS, &progress, &cancel)
            .to_file(&path)
            .unwrap();
        let index = Index::open(Arc::clone(&source), &path, &fingerprint).unwrap();
        let places = Places::of(&index);
        let right = answers(&index, &places)
            .into_iter()
            .map(|answer| answer.unwrap())
            .collect();
        Self {
            folder,
            source,
            fingerprint,
            bytes: std::fs::read(path).unwrap(),
            places,
            right,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("damaged.sbi")
    }

    fn open(&self, bytes: &[u8]) -> Result<Index, OpenError> {
        std::fs::write(self.path(), bytes).unwrap();
        Index::open(Arc::clone(&self.source), &self.path(), &self.fingerprint)
    }

    /// Opens damaged bytes and runs all queries; returns the number of errors.
    #[track_caller]
    fn check(&self, bytes: &[u8], what: &str) -> usize {
        let Ok(index) = self.open(bytes) else {
            return self.right.len();
        };
        let found = answers(&index, &self.places);
        for (found, right) in found.iter().zip(&self.right) {
            assert!(
                found.as_ref().is_err() || found.as_ref().is_ok_and(|found| found == right),
                "{what}: {found:?}"
            );
        }
        found.iter().filter(|found| found.is_err()).count()
    }
}

/// Returns answers of all kinds, as text.
fn answers(index: &Index, places: &Places) -> Vec<Result<String, QueryError>> {
    let mut answers = Vec::new();
    let end = index.end().0;
    let pattern: TextPattern = "LDR".parse().unwrap();
    for (at, pc, address) in places.0.iter().copied() {
        ask_about_cells(index, at, address, &mut answers);
        let step = Step(at.0 / 2);
        ask(index, NearestVisit::next(pc, at), &mut answers);
        ask(index, NearestVisit::last(pc, at), &mut answers);
        ask(index, NthVisit { pc, number: 3 }, &mut answers);
        ask(
            index,
            Steps {
                first: step,
                count: 5,
            },
            &mut answers,
        );
        ask(index, LineOfStep(step), &mut answers);
        ask(index, PositionOfLine(Line(at.0)), &mut answers);
        ask(index, PositionOfTime(at.0), &mut answers);
        ask(
            index,
            RawLines {
                first: Line(at.0),
                count: 3,
            },
            &mut answers,
        );
        ask(
            index,
            FindText {
                what: pattern.clone(),
                thread: None,
                from: at,
                limit: 2,
            },
            &mut answers,
        );
        ask(
            index,
            FindValue {
                what: 1.into(),
                thread: None,
                from: at,
                limit: 2,
            },
            &mut answers,
        );
        let calls = index.calls();
        let id = calls.innermost_at(ThreadId(0), at).unwrap_or(CallId(0));
        answers.push(Ok(format!(
            "{id:?} {:?} {:?}",
            calls.get(id),
            calls.children(id).take(9).collect::<Vec<_>>()
        )));
    }
    ask(
        index,
        DifferenceBetween {
            from: Position(end / 3),
            to: Position(end),
            thread: None,
        },
        &mut answers,
    );
    ask(index, NextAccessedBlock { from: Address(0) }, &mut answers);
    answers.push(Ok(format!("{:?} {:?}", index.threads(), index.warnings())));
    answers
}

fn ask_about_cells(
    index: &Index,
    at: Position,
    address: Address,
    answers: &mut Vec<Result<String, QueryError>>,
) {
    ask(
        index,
        RegistersAt {
            position: at,
            thread: None,
        },
        answers,
    );
    ask(
        index,
        MemoryAt {
            position: at,
            address,
            len_bytes: 100,
        },
        answers,
    );
    let set = index
        .threads()
        .first()
        .map(|thread| thread.instruction_set)
        .unwrap_or_default();
    let view = Registers::view("sp", set).unwrap();
    let cells = [
        Cell::Memory {
            address,
            len_bytes: 64,
        },
        Cell::Register {
            thread: ThreadId(0),
            view,
        },
    ];
    for cell in cells {
        for kinds in [AccessKinds::Writes, AccessKinds::All] {
            ask(index, NearestAccess::last(cell, kinds, at), answers);
            ask(index, NearestAccess::next(cell, kinds, at), answers);
        }
    }
}

fn ask<Q: Query>(index: &Index, question: Q, answers: &mut Vec<Result<String, QueryError>>)
where
    Q::Answer: std::fmt::Debug,
{
    answers.push(
        question
            .run(index, &Cancel::default())
            .map(|answer| format!("{answer:?}")),
    );
}

#[test]
fn a_changed_byte_gives_an_error_or_changes_nothing() {
    let saved = Saved::of(head("qsort.es.tiny.tarmac", 900));
    let mut dice = Dice(1);
    let mut noticed = 0;
    for _ in 0..2000 {
        let mut bytes = saved.bytes.clone();
        let place = dice.below(bytes.len() as u64) as usize;
        bytes[place] ^= 1 << dice.below(8);
        noticed += usize::from(saved.check(&bytes, &format!("byte {place}")) > 0);
    }
    // The queries do not use every section of every segment.
    assert!(noticed > 1300, "{noticed} of 2000");
}

#[test]
fn runs_of_zeros_give_errors() {
    let saved = Saved::of(head("fp32.tiny.tarmac", 900));
    let mut dice = Dice(2);
    for _ in 0..500 {
        let mut bytes = saved.bytes.clone();
        let start = dice.below(bytes.len() as u64) as usize;
        let end = bytes.len().min(start + 1 + dice.below(4096) as usize);
        bytes[start..end].fill(0);
        saved.check(&bytes, &format!("bytes {start} to {end}"));
    }
}

#[test]
fn files_of_another_length_are_refused() {
    let saved = Saved::of(head("cm3.tiny.tarmac", 900));
    let mut dice = Dice(3);
    for _ in 0..300 {
        let length = dice.below(saved.bytes.len() as u64) as usize;
        assert!(
            saved.open(&saved.bytes[..length]).is_err(),
            "cut at {length}"
        );
        let longer = [
            &saved.bytes[..],
            &vec![dice.number() as u8; 1 + dice.below(5000) as usize],
        ]
        .concat();
        assert!(
            matches!(saved.open(&longer), Err(OpenError::Damaged(_))),
            "{} bytes",
            longer.len()
        );
    }
}

#[test]
fn each_reason_is_named() {
    let saved = Saved::of(head("recurse.tiny.tarmac", 300));
    assert!(matches!(saved.open(b""), Err(OpenError::Incomplete)));
    assert!(matches!(
        saved.open(&vec![0; saved.bytes.len()]),
        Err(OpenError::Incomplete)
    ));
    assert!(matches!(saved.open(b"short"), Err(OpenError::Foreign)));
    let with = |place: usize, byte: u8| {
        let mut bytes = saved.bytes.clone();
        bytes[place] = byte;
        saved.open(&bytes)
    };
    assert!(matches!(with(0, b'X'), Err(OpenError::Foreign)));
    assert!(matches!(with(8, 0xfe), Err(OpenError::Version { .. })));
    let mut without_header = saved.bytes.clone();
    without_header[..56].fill(0);
    assert!(matches!(
        saved.open(&without_header),
        Err(OpenError::Incomplete)
    ));
    std::fs::remove_file(saved.path()).unwrap();
    let open = |path: &Path| Index::open(Arc::clone(&saved.source), path, &saved.fingerprint);
    assert!(matches!(open(&saved.path()), Err(OpenError::Missing)));
    assert!(matches!(open(saved.folder.path()), Err(OpenError::Foreign)));
    let other = Fingerprint {
        length: 1,
        ..saved.fingerprint.clone()
    };
    let good = saved.folder.path().join("good.sbi");
    assert!(matches!(
        Index::open(Arc::clone(&saved.source), &good, &other),
        Err(OpenError::Stale(_))
    ));
}

/// Builds an index file with this directory and valid checksums.
fn with_directory(good: &[u8], directory: &[u8]) -> Vec<u8> {
    let number = |place: usize| u64::from_le_bytes(good[place..place + 8].try_into().unwrap());
    let start = number(16) as usize;
    let mut bytes = [&good[..start], directory].concat();
    let file_len = bytes.len() as u64;
    for (place, number) in [
        (24, directory.len() as u64),
        (32, xxh3_64(directory)),
        (40, file_len),
    ] {
        bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
    }
    let checksum = xxh3_64(&bytes[..48]);
    bytes[48..56].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn a_directory_of_garbage_with_right_checksums_is_no_reason_to_panic() {
    let saved = Saved::of(head("recurse.tiny.tarmac", 700));
    let start = u64::from_le_bytes(saved.bytes[16..24].try_into().unwrap()) as usize;
    let directory = &saved.bytes[start..];
    assert_eq!(with_directory(&saved.bytes, directory), saved.bytes);
    let mut dice = Dice(4);
    for _ in 0..2000 {
        let mut other = directory.to_vec();
        match dice.below(4) {
            0 => other = (0..dice.below(3000)).map(|_| dice.number() as u8).collect(),
            1 => other.truncate(dice.below(directory.len() as u64) as usize),
            _ => {
                for _ in 0..=dice.below(3) {
                    let place = dice.below(other.len() as u64) as usize;
                    let random = dice.number() as u8;
                    other[place] = if dice.one_in(2) {
                        random
                    } else {
                        dice.pick(&[0, 1, 0x7f, 0x80, 0xff]).unwrap()
                    };
                }
            }
        }
        if let Ok(index) = saved.open(&with_directory(&saved.bytes, &other)) {
            let _answers = answers(&index, &saved.places);
        }
    }
}

#[test]
fn the_greatest_number_anywhere_in_the_directory_is_no_reason_to_panic() {
    let saved = Saved::of(head("amp.head.tarmac", 200));
    let places = Places(saved.places.0.get(2..3).unwrap().to_vec());
    let start = u64::from_le_bytes(saved.bytes[16..24].try_into().unwrap()) as usize;
    let directory = &saved.bytes[start..];
    for place in 0..directory.len() - 8 {
        let mut other = directory.to_vec();
        other[place..place + 8].fill(0xff);
        if let Ok(index) = saved.open(&with_directory(&saved.bytes, &other)) {
            let _answers = answers(&index, &places);
        }
    }
}

proptest! {

    #[test]
    fn random_bytes_are_no_index(bytes in prop::collection::vec(any::<u8>(), 0..300), magic in prop::sample::select(vec![&b""[..], b"Stepback\x01\0\0\0"])) {
        let source = open(Box::new(b"1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n".to_vec()));
        let fingerprint = Fingerprint::of(source.as_ref(), 0).unwrap();
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("trace.sbi");
        std::fs::write(&path, [magic, &bytes].concat()).unwrap();
        prop_assert!(Index::open(source, &path, &fingerprint).is_err());
    }
}

/// A trace that is rewritten while open.
#[derive(Clone)]
struct Rewritten(Arc<Mutex<Vec<u8>>>);

impl Rewritten {
    fn of(text: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(text)))
    }

    fn set(&self, text: Vec<u8>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

impl ReadAt for Rewritten {
    fn length(&self) -> std::io::Result<u64> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .length()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .read_at(offset, buffer)
    }
}

#[test]
fn a_trace_that_changed_under_an_open_index_gives_errors_or_other_answers() {
    let text = head("recurse.tiny.tarmac", 1500);
    let trace = Rewritten::of(text.clone());
    let index = index_in_memory(open(Box::new(trace.clone())), &OPTIONS).unwrap();
    let places = Places::of(&index);
    let right: Vec<_> = answers(&index, &places)
        .into_iter()
        .map(|answer| answer.unwrap())
        .collect();
    let mut dice = Dice(5);
    let mut others: Vec<(&str, Vec<u8>)> = [
        "fp32.tiny.tarmac",
        "qsort.es.tiny.tarmac",
        "amp.head.tarmac",
    ]
    .map(|name| {
        (
            name,
            fixture(name)
                .into_iter()
                .chain(text.iter().copied())
                .take(text.len())
                .collect(),
        )
    })
    .to_vec();
    others.push(("newlines", vec![b'\n'; text.len()]));
    others.push(("zeros", vec![0; text.len()]));
    others.push((
        "random",
        (0..text.len()).map(|_| dice.number() as u8).collect(),
    ));
    others.push((
        "shifted",
        text[7..].iter().chain(&text[..7]).copied().collect(),
    ));
    others.push(("empty", Vec::new()));
    others.push(("half", text[..text.len() / 2].to_vec()));
    others.push((
        "longer",
        text.iter()
            .chain(b"9 clk R r0 00000001\n")
            .copied()
            .collect(),
    ));
    for (name, other) in others {
        let has_other_length = other.len() != text.len();
        trace.set(other);
        let now = index.source().length_now().unwrap();
        assert_eq!(now != index.info().trace_bytes, has_other_length, "{name}");
        let found = answers(&index, &places);
        let errors = found.iter().filter(|answer| answer.is_err()).count();
        assert!(
            errors > 0 || name == "longer",
            "{name}: no question noticed"
        );
        let is_named =
            |error: &QueryError| matches!(error, QueryError::TraceChanged | QueryError::Source(_));
        assert!(
            found
                .iter()
                .all(|answer| answer.as_ref().err().is_none_or(is_named)),
            "{name}: {found:?}"
        );
    }
    trace.set(text);
    assert!(
        answers(&index, &places)
            .into_iter()
            .zip(&right)
            .all(|(answer, right)| answer.unwrap() == *right)
    );
}

#[test]
fn a_trace_that_is_rewritten_while_it_is_indexed_is_noticed_and_one_that_grows_is_indexed_as_it_was()
 {
    let text = head("recurse.tiny.tarmac", 300);
    let trace = Rewritten::of(text.clone());
    let source = open(Box::new(trace.clone()));
    let fingerprint = Fingerprint::of(source.as_ref(), 0).unwrap();
    let (progress, cancel) = (BuildProgress::default(), Cancel::default());
    let build = || Build::new(&source, &fingerprint, &OPTIONS, &progress, &cancel).in_memory();
    for other in [
        head("recurse.tiny.tarmac", 299),
        head("fp32.tiny.tarmac", 1500),
    ] {
        trace.set(other);
        assert!(matches!(build(), Err(BuildError::TraceChanged)));
    }
    trace.set(head("recurse.tiny.tarmac", 301));
    let grown = build().unwrap();
    trace.set(text.clone());
    let plain = index_in_memory(open(Box::new(text)), &OPTIONS).unwrap();
    let places = Places::of(&plain);
    let all = |index| {
        answers(index, &places)
            .into_iter()
            .map(|answer| answer.unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(all(&grown), all(&plain));
}
