//! Builds that fail, are resumed, or are queried before they end.

#[path = "../../tests/it/support/delegate.rs"]
pub(crate) mod delegate;

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use stepback_machine::Address;
use stepback_parsers::{
    EventSink, ParseScratch, ParsedRange, Position, Source, SourceError, Tarmac,
};
use tempfile::TempDir;

use self::delegate::{Delegate, Through};
use crate::answers::call::CallId;
use crate::answers::error::{BuildError, Cancel};
use crate::builder::build_index::{Build, BuildOptions, BuildProgress, Follow, index_in_memory};
use crate::builder::partial::{PartialFiles, open_so_far};
use crate::index::Index;
use crate::query::memory::MemoryAt;
use crate::query::question::Query as _;
use crate::query::registers::RegistersAt;
use crate::store::data::HEADER_LEN;
use crate::store::fingerprint::Fingerprint;

const OPTIONS: BuildOptions = BuildOptions {
    segment_bytes: 430,
    threads: 3,
};

/// Some steps of a program that calls, writes, and reads memory that it did not write.
fn program(numbers: Range<u64>) -> String {
    let mut text = String::from("0 clk R SP_EL3 0000000000009000\n");
    for number in numbers {
        let place = number % 10;
        let pc = if (4..8).contains(&place) {
            0x2000
        } else {
            0x1000
        } + 4 * place;
        let opcode = if place == 7 {
            0xd65f_03c0u32
        } else {
            0xd503_201f
        };
        let time = number + 1;
        writeln!(
            text,
            "{time} clk IT ({time}) {pc:016x} {opcode:08x} O EL3h_s : NOP"
        )
        .unwrap();
        match place {
            3 => writeln!(text, "{time} clk R X30 {:016x}", 0x1020),
            5 => writeln!(
                text,
                "{time} clk MW4 {:08x} {number:08x}",
                0x8000 + number * 4 % 64
            ),
            6 => writeln!(
                text,
                "{time} clk MR4 {:08x} {:08x}",
                0x8000 + number * 12 % 64,
                number / 100
            ),
            _ => writeln!(text, "{time} clk R X{place} {number:016x}"),
        }
        .unwrap();
    }
    text
}

/// Trace of this many steps of 43 bytes.
fn trace_of(steps: usize) -> Tarmac {
    let line = "7 clk IT (7) 00001000 e1a00000 A usr : NOP\n";
    Tarmac::open(
        Box::new(line.repeat(steps).into_bytes()),
        Default::default(),
    )
    .unwrap()
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Error,
    Panic,
    Cancel,
}

/// A trace with a byte at which reading ends.
struct Broken {
    trace: Tarmac,
    at: u64,
    end: End,
    cancel: Cancel,
}

impl Delegate for Broken {
    fn trace(&self) -> &Tarmac {
        &self.trace
    }

    fn parse_part(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError> {
        match self.end {
            _ if !range.contains(&self.at) => {}
            End::Error => {
                return Err(SourceError::Read {
                    offset: self.at,
                    error: std::io::ErrorKind::Other.into(),
                });
            }
            End::Panic => panic!("the test breaks here"),
            End::Cancel => self.cancel.cancel(),
        }
        self.trace.parse(range, scratch, sink)
    }
}

/// Builds from a trace of 40 tasks with several workers; none when the build panicked.
fn build_of(end: End, at: u64) -> Option<Result<Index, BuildError>> {
    let trace = trace_of(400);
    let fingerprint = Fingerprint::of(&trace, 0).unwrap();
    let cancel = Cancel::default();
    let source: Arc<dyn Source> = Arc::new(Through(Broken {
        trace,
        at,
        end,
        cancel: cancel.clone(),
    }));
    let progress = BuildProgress::default();
    let build = || Build::new(&source, &fingerprint, &OPTIONS, &progress, &cancel).in_memory();
    catch_unwind(AssertUnwindSafe(build)).ok()
}

/// Returns the warnings of an index: line, count, message.
fn warned(text: &str, segment_bytes: u64) -> (u64, Vec<(u64, u64, String)>) {
    let tarmac = Tarmac::open(Box::new(text.as_bytes().to_vec()), Default::default()).unwrap();
    let index = index_in_memory(
        Arc::new(tarmac),
        &BuildOptions {
            segment_bytes,
            threads: 1,
        },
    )
    .unwrap();
    let each = index
        .warnings()
        .iter()
        .map(|warning| (warning.line, warning.count, warning.kind.to_string()));
    (index.info().warning_count, each.collect())
}

#[test]
fn equal_warnings_are_listed_once_and_counted_as_often_as_they_occur() {
    let line =
        |at: u32| format!("{at} clk IT (1) 00001000 d503201f O EL1h_n : NOP\n{at} clk FOO bar\n");
    let text = (1..40)
        .map(|at| line(at) + if at == 20 { "5 clk R {\n" } else { "" })
        .collect::<String>();
    for segment_bytes in [100, 300, 1 << 20] {
        let (count, each) = warned(&text, segment_bytes);
        assert_eq!((count, each.len()), (40, 2), "{each:?}");
        assert_eq!(
            each[0],
            (2, 39, "unknown Tarmac event type \"FOO\"".to_owned())
        );
        assert_eq!((each[1].0, each[1].1), (41, 1));
    }
}

#[test]
fn time_that_runs_backwards_is_a_warning_that_names_the_place() {
    let line = |at: u32| format!("{at} clk IT (1) 00001000 d503201f O EL1h_n : NOP\n");
    let text = [10, 20, 30, 15, 25, 35, 5].map(line).concat();
    for segment_bytes in [50, 100, 1 << 20] {
        let (count, each) = warned(&text, segment_bytes);
        let message = "time runs backwards, from 30 to 15 at step 3".to_owned();
        assert_eq!((count, each), (2, vec![(4, 2, message)]), "{segment_bytes}");
    }
    // Cores may be ahead of each other.
    let cpu =
        |at: u32, cpu: u32| format!("{at} clk cpu{cpu} IT (1) 00001000 d503201f O EL1h_n : NOP\n");
    assert_eq!(
        warned(
            &[cpu(10, 0), cpu(5, 1), cpu(11, 0), cpu(6, 1)].concat(),
            1 << 20
        )
        .0,
        0
    );
}

#[test]
fn a_worker_that_panics_does_not_leave_the_others_waiting() {
    for at in [0, 5000, 17_000] {
        assert!(build_of(End::Panic, at).is_none());
    }
}

#[test]
fn an_unreadable_place_ends_the_build_with_its_error() {
    for at in [0, 5000, 17_000] {
        let built = build_of(End::Error, at);
        assert!(
            matches!(built, Some(Err(BuildError::Source(SourceError::Read { offset, .. }))) if offset == at)
        );
    }
}

#[test]
fn a_cancelled_build_says_so() {
    for at in [0, 5000, 17_000] {
        assert!(matches!(
            build_of(End::Cancel, at),
            Some(Err(BuildError::Cancelled))
        ));
    }
}

/// A folder with a trace and the path of its index.
struct Place {
    folder: TempDir,
    trace: PathBuf,
    index: PathBuf,
}

impl Place {
    fn new(text: &[u8]) -> Self {
        let folder = TempDir::new().unwrap();
        let [trace, index] = ["a.tarmac", "a.sbi"].map(|name| folder.path().join(name));
        std::fs::write(&trace, text).unwrap();
        Self {
            folder,
            trace,
            index,
        }
    }

    fn names(&self) -> Vec<String> {
        let names = self.folder.path().read_dir().unwrap();
        let mut names: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        names
    }

    fn tarmac(&self) -> Tarmac {
        Tarmac::open(
            Box::new(File::open(&self.trace).unwrap()),
            Default::default(),
        )
        .unwrap()
    }

    fn open(&self) -> (Arc<dyn Source>, Fingerprint) {
        let tarmac = Arc::new(self.tarmac());
        let fingerprint = Fingerprint::of(tarmac.as_ref(), 0).unwrap();
        (tarmac, fingerprint)
    }

    fn append(&self, text: &[u8]) {
        File::options()
            .append(true)
            .open(&self.trace)
            .unwrap()
            .write_all(text)
            .unwrap();
    }

    /// Builds to the end; returns the number of bytes done by an earlier build.
    fn build(&self) -> u64 {
        let (tarmac, fingerprint) = self.open();
        let (progress, cancel) = (BuildProgress::default(), Cancel::default());
        Build::new(&tarmac, &fingerprint, &OPTIONS, &progress, &cancel)
            .to_file(&self.index)
            .unwrap()
            .resumed_bytes
    }

    /// Builds until a byte of the trace is reached, and is cancelled there; returns the amount
    /// shown by then.
    fn build_until(&self, at: u64) -> u64 {
        let trace = self.tarmac();
        let fingerprint = Fingerprint::of(&trace, 0).unwrap();
        let (progress, cancel) = (BuildProgress::default(), Cancel::default());
        let source: Arc<dyn Source> = Arc::new(Through(Broken {
            trace,
            at,
            end: End::Cancel,
            cancel: cancel.clone(),
        }));
        let shown = AtomicU64::new(0);
        let on_part = |index: Index| {
            assert!(!index.is_whole());
            check_part(&index);
            shown.store(index.text_end(), Ordering::Relaxed);
        };
        let options = BuildOptions {
            threads: 1,
            ..OPTIONS
        };
        let built = Build::new(&source, &fingerprint, &options, &progress, &cancel)
            .reporting_parts(&on_part)
            .to_file(&self.index);
        assert!(matches!(built, Err(BuildError::Cancelled)), "{built:?}");
        shown.into_inner()
    }

    fn answers(&self) -> Vec<String> {
        let (tarmac, fingerprint) = self.open();
        answers(&Index::open(tarmac, &self.index, &fingerprint).unwrap())
    }
}

/// Checks that a partial index answers as an index of only that part of the trace.
fn check_part(index: &Index) {
    let mut text = Vec::new();
    index
        .source()
        .read_raw(0..index.text_end(), &mut text)
        .unwrap();
    assert_eq!(answers(index), expected(&text));
}

/// Returns the answers of an index that was built in one go.
fn expected(text: &[u8]) -> Vec<String> {
    let tarmac = Arc::new(Tarmac::open(Box::new(text.to_vec()), Default::default()).unwrap());
    answers(
        &index_in_memory(
            tarmac,
            &BuildOptions {
                segment_bytes: 1 << 20,
                threads: 1,
            },
        )
        .unwrap(),
    )
}

fn answers(index: &Index) -> Vec<String> {
    let never = Cancel::default();
    let info = index.info();
    let mut answers = vec![
        format!(
            "{} steps {} lines {:?}",
            info.steps, info.lines, info.time_range
        ),
        format!(
            "{} externals {} calls {} warnings",
            info.external_changes,
            index.call_count(),
            info.warning_count
        ),
        format!("{:?} {:?}", index.warnings(), index.threads()),
    ];
    answers
        .extend((0..index.calls().len()).map(|id| format!("{:?}", index.calls().get(CallId(id)))));
    let end = index.step_count();
    for position in (0..=end).step_by(7).chain([end]).map(Position) {
        let registers = RegistersAt {
            position,
            thread: None,
        }
        .run(index, &never)
        .unwrap();
        let memory = MemoryAt {
            position,
            address: Address(0x8000),
            len_bytes: 64,
        }
        .run(index, &never)
        .unwrap();
        answers.push(format!("{position:?} {registers:?} {memory:?}"));
    }
    answers
}

#[test]
fn a_cancelled_build_keeps_what_it_has_done_and_the_next_goes_on() {
    let text = program(0..3000);
    let place = Place::new(text.as_bytes());
    let shown = place.build_until(50_000);
    assert_eq!(place.names(), ["a.sbi.partial", "a.sbi.resume", "a.tarmac"]);
    assert!((49_000..=50_000).contains(&shown), "{shown}");
    let (tarmac, fingerprint) = place.open();
    let part = open_so_far(tarmac, &place.index, &fingerprint).unwrap();
    assert_eq!(part.text_end(), shown);
    check_part(&part);
    assert_eq!(place.build(), shown);
    assert_eq!(place.names(), ["a.sbi", "a.tarmac"]);
    assert_eq!(place.answers(), expected(text.as_bytes()));
}

/// Some nested calls, half of which return.
fn nested_calls(depth: u64) -> String {
    let line = |time: u64, pc: u64, opcode: &str| {
        format!("{time} clk IT ({time}) {pc:016x} {opcode} O EL3h_s : x\n")
    };
    let call = |number: u64| {
        let pc = 0x1000 + 0x100 * number;
        let (step, sp) = (line(number, pc, "94000040"), 0x9000 - 0x10 * number);
        format!(
            "{number} clk R SP_EL3 {sp:016x}\n{step}{number} clk R X30 {:016x}\n",
            pc + 4
        )
    };
    let end = |number: u64| {
        let (time, pc) = (depth + number, 0x1004 + 0x100 * (depth - number));
        line(time, pc, "d65f03c0")
    };
    (0..depth)
        .map(call)
        .chain((0..depth / 2).map(end))
        .collect()
}

#[test]
fn equal_builds_write_equal_files_stopped_or_not() {
    let place = Place::new(nested_calls(300).as_bytes());
    let files = |at: Option<u64>| -> Vec<Vec<u8>> {
        match at {
            Some(at) => _ = place.build_until(at),
            None => _ = place.build(),
        }
        let paths = place
            .names()
            .into_iter()
            .map(|name| place.folder.path().join(name));
        let built = paths.filter(|path| *path != place.trace);
        built
            .map(|path| {
                let bytes = std::fs::read(&path).unwrap();
                std::fs::remove_file(path).unwrap();
                bytes
            })
            .collect()
    };
    for at in [Some(20_000), Some(35_000), None] {
        let first = files(at);
        assert_eq!(first.len(), if at.is_some() { 2 } else { 1 });
        assert!(first == files(at), "{at:?}");
    }
}

#[test]
fn a_build_that_is_stopped_again_and_again_comes_to_its_end() {
    let text = program(0..2000);
    let place = Place::new(text.as_bytes());
    for at in (5_000..text.len() as u64).step_by(9_000) {
        place.build_until(at);
    }
    assert!(place.build() > 90_000);
    assert_eq!(place.answers(), expected(text.as_bytes()));
}

#[test]
fn an_index_goes_on_when_its_trace_has_grown_wherever_it_ended() {
    let text = program(0..600);
    let place = Place::new(b"");
    let mut written = 0;
    for part in [
        40,
        41,
        3000,
        3001,
        3100,
        9000,
        9001,
        9002,
        text.len() - 20,
        text.len(),
    ] {
        place.append(&text.as_bytes()[written..part]);
        let resumed = place.build();
        assert!(resumed <= written as u64 && written as u64 - resumed <= 3 * OPTIONS.segment_bytes);
        assert_eq!(
            place.answers(),
            expected(&text.as_bytes()[..part]),
            "{part} bytes"
        );
        written = part;
    }
}

#[test]
fn an_index_of_another_trace_is_not_gone_on_with() {
    let place = Place::new(program(0..900).as_bytes());
    place.build();
    let other = program(5..2000);
    std::fs::write(&place.trace, &other).unwrap();
    assert_eq!(place.build(), 0);
    assert_eq!(place.answers(), expected(other.as_bytes()));
    std::fs::remove_file(&place.index).unwrap();
    place.build_until(20_000);
    std::fs::write(&place.trace, program(7..2000)).unwrap();
    assert_eq!(place.build(), 0);
    assert_eq!(place.answers(), expected(program(7..2000).as_bytes()));
}

#[test]
fn what_a_stopped_build_left_is_not_trusted_when_it_is_damaged() {
    let text = program(0..2000);
    for at in [HEADER_LEN + 10, 3000, 5000] {
        for name in ["partial", "resume"] {
            let place = Place::new(text.as_bytes());
            place.build_until(60_000);
            let path = place.index.with_added_extension(name);
            let mut bytes = std::fs::read(&path).unwrap();
            let at = at.min(bytes.len() - 1);
            bytes[at] ^= 0x10;
            std::fs::write(&path, bytes).unwrap();
            place.build();
            assert_eq!(
                place.answers(),
                expected(text.as_bytes()),
                "byte {at} of {name}"
            );
        }
    }
}

/// Returns the bytes of a stopped build, damaged in one way.
fn damaged(good: &[u8], place: usize, way: usize) -> Vec<u8> {
    let mut bytes = good.to_vec();
    match way {
        0 => bytes[place] ^= 0x10,
        1 => bytes
            .iter_mut()
            .skip(place)
            .take(8)
            .for_each(|byte| *byte = 0xff),
        2 => bytes.truncate(place),
        _ => bytes
            .iter_mut()
            .skip(place)
            .take(8)
            .for_each(|byte| *byte = 0x7f),
    }
    bytes
}

/// Corrects the checksums of the directory and of the header in a file that continues after
/// segments.
fn put_checksums_right(rest: &mut [u8]) {
    let number = |bytes: &[u8], place: usize| {
        let number = bytes
            .get(place..place + 8)
            .and_then(|bytes| bytes.try_into().ok());
        number.map_or(0, u64::from_le_bytes)
    };
    let length = number(rest, 24) as usize;
    if let Some(directory) = rest
        .len()
        .checked_sub(length)
        .and_then(|start| rest.get(start..))
    {
        let checksum = xxhash_rust::xxh3::xxh3_64(directory);
        rest[32..40].copy_from_slice(&checksum.to_le_bytes());
        let checksum = xxhash_rust::xxh3::xxh3_64(&rest[..HEADER_LEN - 8]);
        rest[HEADER_LEN - 8..HEADER_LEN].copy_from_slice(&checksum.to_le_bytes());
    }
}

#[test]
fn whatever_is_damaged_of_what_a_stopped_build_left_the_next_comes_to_its_end() {
    const PLACES: usize = 12;
    let text = program(0..2000);
    let place = Place::new(text.as_bytes());
    place.build_until(60_000);
    let paths = ["partial", "resume"].map(|name| place.index.with_added_extension(name));
    let good = paths.each_ref().map(|path| std::fs::read(path).unwrap());
    let (sender, done) = channel();
    let expected = expected(text.as_bytes());
    let builds = std::thread::spawn(move || {
        for file in 0..2 {
            for (number, way) in (0..PLACES).flat_map(|number| (0..5).map(move |way| (number, way)))
            {
                let at = number * (good[file].len() - 1) / PLACES;
                let mut bytes = damaged(&good[file], at, way);
                let is_crafted = way > 2 && file == 1;
                if is_crafted {
                    put_checksums_right(&mut bytes);
                }
                std::fs::write(&paths[1 - file], &good[1 - file]).unwrap();
                std::fs::write(&paths[file], bytes).unwrap();
                _ = std::fs::remove_file(&place.index);
                place.build();
                // With correct checksums, any content is possible for the start of the trace.
                assert!(
                    is_crafted || place.answers() == expected,
                    "{way} at {at} of file {file}"
                );
                sender.send(()).unwrap();
            }
        }
    });
    let is_soon = |_: usize| done.recv_timeout(Duration::from_secs(60)).is_ok();
    let finished = (0..2 * 5 * PLACES)
        .take_while(|number| is_soon(*number))
        .count();
    assert!(
        finished == 2 * 5 * PLACES,
        "the build behind {finished} others did not come to its end"
    );
    builds.join().unwrap();
}

#[test]
fn a_growing_trace_is_followed_to_its_last_whole_line() {
    let text = program(0..1500);
    let place = Place::new(&text.as_bytes()[..100]);
    let (tarmac, _) = place.open();
    let fingerprint = || Fingerprint::of(tarmac.as_ref(), 0);
    let (progress, cancel, until) = (
        BuildProgress::default(),
        Cancel::default(),
        Cancel::default(),
    );
    let follow = Follow {
        until: &until,
        fingerprint: &fingerprint,
    };
    let (sender, parts) = channel();
    let on_part = |index: Index| sender.send(index).unwrap();
    let first = fingerprint().unwrap();
    std::thread::scope(|scope| {
        let build = Build::new(&tarmac, &first, &OPTIONS, &progress, &cancel)
            .following(Some(follow))
            .reporting_parts(&on_part);
        let built = scope.spawn({
            let index = &place.index;
            move || build.to_file(index)
        });
        let mut written = 100;
        for end in [150, 4000, 4010, 30_000, text.len()] {
            place.append(&text.as_bytes()[written..end]);
            written = end;
            let last_line = text.as_bytes()[..end]
                .iter()
                .rposition(|byte| *byte == b'\n')
                .unwrap() as u64
                + 1;
            loop {
                let part = parts.recv_timeout(Duration::from_secs(20)).unwrap();
                assert!(!part.is_whole());
                check_part(&part);
                if part.text_end() == last_line {
                    break;
                }
            }
        }
        until.cancel();
        built.join().unwrap().unwrap();
    });
    assert_eq!(place.answers(), expected(text.as_bytes()));
}

#[test]
fn a_failed_build_leaves_nothing_after_and_a_second_builder_is_refused() {
    let place = Place::new(program(0..400).as_bytes());
    let (trace, fingerprint) = place.open();
    let progress = BuildProgress::default();
    let build = |cancel: &Cancel| {
        Build::new(&trace, &fingerprint, &OPTIONS, &progress, cancel)
            .to_file(&place.index)
            .map(|_| ())
    };
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(matches!(build(&cancel), Err(BuildError::Cancelled)));
    assert_eq!(place.names(), ["a.tarmac"]);
    let other = PartialFiles::lock(&place.index).unwrap();
    assert!(matches!(
        build(&Cancel::default()),
        Err(BuildError::Write { .. })
    ));
    drop(other);
    assert!(build(&Cancel::default()).is_ok());
    assert_eq!(place.names(), ["a.sbi", "a.tarmac"]);
}
