//! Work on several threads has the results of a single one.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepback_debugger::session::{Input, OpenOptions};
use stepback_generator::{Recipe, Shape, Size};
use stepback_index::Cancel;
use stepback_index::build::{Build, BuildOptions, BuildProgress};
use stepback_index::in_order::parse_in_order;
use stepback_machine::RegisterId;
use stepback_parsers::{
    EventSink, Format, MarkerEvent, MemoryAccess, ParseScratch, Problem, RegisterWrite, Source,
    SourceError, StepEvent, TextEvent, ThreadNumber,
};

use crate::cli::support::{Sandbox, copy_tree, fixture_path};

/// Numbers of threads that are compared with one thread.
const THREADS: [usize; 4] = [2, 3, 8, 16];
/// Number of segments into which a fixture is cut, if it has enough places to cut it.
const SEGMENTS: u64 = 12;

/// Text of unidbg, which no fixture has.
const UNIDBG: &str = "\
[15:11:48 070][lib.so 0x1ed98] [ff8302d1] 0x4001ed98: \"sub sp, sp, #0xa0\" sp=0xbffff700 => sp=0xbffff660
[15:11:48 071][lib.so 0x1ed9c] [e80700f9] 0x4001ed9c: \"str x8, [sp, #8]\" (w 0xbffff668 8) x8=0x1 sp=0xbffff660
";

/// Builds the index of an open trace and returns the bytes of the file.
fn index_bytes(input: &Input, segment_bytes: u64, threads: usize, path: &Path) -> Vec<u8> {
    let options = BuildOptions {
        segment_bytes,
        threads,
    };
    let (progress, cancel) = (BuildProgress::default(), Cancel::default());
    let source: &Arc<dyn Source> = &input.source;
    let build = Build::new(source, &input.fingerprint, &options, &progress, &cancel);
    build.anew().to_file(path).unwrap();
    fs::read(path).unwrap()
}

/// Opens a trace; none if the file is no trace.
fn open(options: OpenOptions) -> Option<(PathBuf, Input)> {
    let index = options.path.with_added_extension("threads.sbi");
    let options = OpenOptions {
        index: Some(index.clone()),
        ..options
    };
    let input = Input::open(&options).ok()?;
    let (progress, cancel) = (BuildProgress::default(), Cancel::default());
    input.settle(&options.path, &progress, &cancel).ok()?;
    Some((index, input))
}

/// Compares the indexes of a trace.
fn check_index(input: &Input, path: &Path, segments: u64) {
    let segment_bytes = input.source.length().div_ceil(segments).max(1);
    let expected = index_bytes(input, segment_bytes, 1, path);
    for threads in THREADS {
        let found = index_bytes(input, segment_bytes, threads, path);
        let place = found
            .iter()
            .zip(&expected)
            .position(|(one, other)| one != other);
        assert!(
            found == expected,
            "{} with {threads} threads: {} and {} bytes, different from byte {place:?} on",
            path.display(),
            found.len(),
            expected.len(),
        );
    }
}

/// Sink that writes the events down.
#[derive(Default)]
struct EventList(Vec<String>);

impl EventSink for EventList {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        self.0.push(format!("{thread:?} {name}"));
    }

    fn register_named(&mut self, register: RegisterId, name: &str, size_bytes: u16) {
        self.0.push(format!("{register:?} {name} {size_bytes}"));
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.0.push(format!("{step:?}"));
    }

    fn scattered_values(&mut self) {
        self.0.push("scattered values".to_owned());
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.0.push(format!("{write:?}"));
    }

    fn access(&mut self, access: &MemoryAccess) {
        self.0.push(format!("{access:?}"));
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.0.push(format!("{event:?}"));
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.0.push(format!("{event:?}"));
    }

    fn problem(&mut self, problem: &Problem) {
        self.0.push(format!("{problem:?}"));
    }
}

/// Returns the parts of a trace that is cut wherever that is possible after some bytes.
fn parts(source: &dyn Source, part_bytes: u64) -> Vec<Range<u64>> {
    let mut scratch = ParseScratch::default();
    let mut starts = vec![0];
    for target in (part_bytes..source.length()).step_by(part_bytes as usize) {
        let limit = (target + part_bytes).min(source.length());
        starts.extend(source.cut(target, limit, &mut scratch).unwrap());
    }
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([source.length()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

/// Compares the events of parts that are parsed on all threads with those of one run.
fn check_events(input: &Input, name: &Path) {
    let source = input.source.as_ref();
    let (mut expected, mut found) = (EventList::default(), EventList::default());
    source
        .parse(
            0..source.length(),
            &mut ParseScratch::default(),
            &mut expected,
        )
        .unwrap();
    let parts = parts(source, source.length().div_ceil(SEGMENTS).max(1));
    parse_in_order(
        source,
        parts.into_iter().map(Ok::<_, SourceError>),
        &mut found,
    )
    .unwrap();
    let place = found
        .0
        .iter()
        .zip(&expected.0)
        .position(|(one, other)| one != other);
    let at = |list: &EventList| place.and_then(|place| list.0.get(place).cloned());
    assert!(
        found.0 == expected.0,
        "{}: {} and {} events, different at {place:?}: {:?} and {:?}",
        name.display(),
        found.0.len(),
        expected.0.len(),
        at(&found),
        at(&expected),
    );
}

/// Returns the files of a folder, and its folders that may be traces of several files.
fn candidates(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("trace") => found.push(path),
            true => candidates(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn fixtures_of_all_formats_have_one_index_and_one_sequence_of_events() {
    let sandbox = Sandbox::new();
    let fixtures = sandbox.path("fixtures");
    copy_tree(&fixture_path(""), &fixtures);
    fs::write(fixtures.join("unidbg.log"), UNIDBG.repeat(40)).unwrap();
    let mut paths = Vec::new();
    candidates(&fixtures, &mut paths);
    let mut formats = BTreeSet::new();
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let is_described = path.parent().unwrap().ends_with("described");
        let layout = path.with_file_name(name.replace(".log.zst", ".toml"));
        let options = OpenOptions {
            record_layout: (is_described && layout != path).then_some(layout),
            ..OpenOptions::of_files([path]).unwrap()
        };
        let Some((path, input)) = open(options) else {
            continue;
        };
        check_index(&input, &path, SEGMENTS);
        check_events(&input, &path);
        formats.insert(input.source.traits().format.clone());
    }
    let all: BTreeSet<String> = Format::all()
        .map(|format| format.name().to_owned())
        .collect();
    assert_eq!(formats, all);
}

#[test]
fn a_trace_in_hundreds_of_segments_has_one_index() {
    let sandbox = Sandbox::new();
    for (shape, name) in [(Shape::Program, "program"), (Shape::Hostile, "hostile")] {
        let recipe = Recipe {
            shape,
            size: Size::Steps(12_000),
            ..Recipe::default()
        };
        let path = PathBuf::from(sandbox.file(&format!("{name}.tarmac"), recipe.text()));
        let (path, input) = open(OpenOptions::of_files([path]).unwrap()).unwrap();
        check_index(&input, &path, 300);
    }
}
