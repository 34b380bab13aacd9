//! Compares answers with what the emulator that made the real traces knows.
//!
//! The traces are looked for where the variable `STEPBACK_TRACES` points (a folder with `tarmac/` in it);
//! a small one from `fixtures/` is always compared.
//! Rules: `idx` of a golden record counts steps from 1 and is also the position after that step;
//! a last write of 0 is the initial dump; bytes with `sys` 1 were written by a system call that the trace does not show.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that panics fails")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::Value as Json;
use stepback_index::{
    AccessKinds, BuildOptions, Cancel, Cell, Entered, Index, LastAccess, LastAccessAnswer, Left, LineOfStep, MemoryAt,
    Query, RegistersAt, ThreadId, ValueSource,
};
use stepback_parsers::{Address, Line, Position, ReadAt, Step, Tarmac};

fn open(input: Box<dyn ReadAt>, segment_bytes: u64) -> Index<Tarmac> {
    let tarmac = Arc::new(Tarmac::open(input, Default::default()).unwrap());
    Index::in_memory(tarmac, &BuildOptions { segment_bytes, ..Default::default() }).unwrap()
}

/// The lines of a file of JSON lines, unpacked by `zstd` where it is packed.
fn json_lines(path: &Path) -> Vec<Json> {
    let text = String::from_utf8(bytes_of(path)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn bytes_of(path: &Path) -> Vec<u8> {
    if path.exists() {
        return std::fs::read(path).unwrap();
    }
    let packed = PathBuf::from(format!("{}.zst", path.display()));
    let unpacked = Command::new("zstd").arg("-dc").arg(&packed).output().expect("zstd is needed for packed traces");
    assert!(unpacked.status.success(), "{}", packed.display());
    unpacked.stdout
}

fn number(json: &Json) -> u64 {
    json.as_u64().unwrap()
}

/// What was compared, so that a test that compares nothing does not pass.
#[derive(Debug, Default)]
struct Compared {
    registers: u64,
    bytes: u64,
    writes: u64,
    calls: u64,
}

struct Golden<'a> {
    index: &'a Index<Tarmac>,
    name: &'a str,
    compared: Compared,
}

impl Golden<'_> {
    fn ask<Q: Query>(&self, query: Q) -> Q::Answer {
        query.run(self.index, &Cancel::default()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn record(&mut self, record: &Json) {
        let position = Position(number(&record["idx"]));
        let line = self.ask(LineOfStep(Step(position.0 - 1)));
        assert_eq!(line, Some(Line(number(&record["line"]))), "{}: line of step {}", self.name, position.0 - 1);
        for (name, register) in record["regs"].as_object().unwrap() {
            self.register(position, name, register);
        }
        let steps = self.ask(stepback_index::Steps { first: Step(position.0 - 1), count: 1 });
        assert_eq!(format!("{:x}", steps[0].pc.0), record["pc"].as_str().unwrap(), "{}: pc", self.name);
        assert_eq!(steps[0].time, Some(number(&record["time"])), "{}: time", self.name);
        if !self.name.contains(".es.") {
            assert_eq!(steps[0].is_executed, record["executed"].as_bool().unwrap(), "{}: executed", self.name);
        }
        for cell in record["mem"].as_array().unwrap() {
            self.memory(position, cell);
        }
    }

    fn register(&mut self, position: Position, name: &str, golden: &Json) {
        let context = format!("{}: {name} at {}", self.name, position.0);
        let file = self.ask(RegistersAt { position, thread: None });
        let view = self.index.register_view(name, file.thread).unwrap_or_else(|| panic!("{context}: no register"));
        let lower = name.to_lowercase();
        let shown = stepback_parsers::Registers::name(view, file.instruction_set).unwrap_or(&lower);
        let state = file.state(shown).unwrap_or_else(|| panic!("{context}: {shown} is not shown"));
        if number(&golden[3]) == 0 {
            assert!(state.value.is_unknown(), "{context}: known without a line that names it");
            return;
        }
        assert_eq!(state.value.hex(), golden[0].as_str().unwrap(), "{context}");
        assert_eq!(state.written_at, Some(Position(number(&golden[1]))), "{context}: last write");
        let cell = Cell::Register { thread: file.thread, view };
        self.last_write(position, cell, number(&golden[1]), &context);
        self.compared.registers += 1;
    }

    fn last_write(&mut self, before: Position, cell: Cell, golden: u64, context: &str) {
        match self.ask(LastAccess { cell, kinds: AccessKinds::Writes, before }) {
            LastAccessAnswer::Step(hit) => {
                assert_eq!(hit.record.step.0 + 1, golden, "{context}: last write");
                assert_eq!(hit.position.0, golden, "{context}: position");
            }
            LastAccessAnswer::Initial(_) | LastAccessAnswer::Never => assert_eq!(golden, 0, "{context}: last write"),
        }
        self.compared.writes += 1;
    }

    fn memory(&mut self, position: Position, cell: &Json) {
        let address = u64::from_str_radix(cell["addr"].as_str().unwrap(), 16).unwrap();
        let golden = cell["bytes"].as_str().unwrap();
        let bytes = self.ask(MemoryAt { position, address: Address(address), len_bytes: golden.len() as u64 / 2 });
        let is_set = |flags: &str, place: usize| cell[flags].as_str().unwrap().as_bytes()[place] == b'1';
        for (place, byte) in bytes.iter().enumerate() {
            let context = format!("{}: byte {:#x} at {}", self.name, address + place as u64, position.0);
            let true_value = u8::from_str_radix(&golden[2 * place..2 * place + 2], 16).unwrap();
            if is_set("seen", place) {
                assert!(
                    matches!(byte.source, ValueSource::Recorded | ValueSource::External) || is_set("sys", place),
                    "{context}: {byte:?}"
                );
            } else {
                assert!(matches!(byte.source, ValueSource::Unknown | ValueSource::Inferred), "{context}: {byte:?}");
            }
            if is_set("sys", place) {
                continue;
            }
            if is_set("seen", place) {
                // What is inferred may be wrong where a system call wrote without a trace line.
                assert_eq!(byte.value, Some(true_value), "{context}: {byte:?}");
                self.compared.bytes += 1;
            }
            let cell_of_byte = Cell::Memory { address: Address(address + place as u64), len_bytes: 1 };
            self.last_write(position, cell_of_byte, number(&cell["last_write"][place]), &context);
        }
    }

    /// The calls that returned, by call and exit.
    fn calls(&mut self, golden: &[Json]) {
        let returned = golden.iter().filter(|call| call["how"] == "ret");
        let mut expected: Vec<_> = returned
            .map(|call| {
                (
                    number(&call["call_idx"]) - 1,
                    number(&call["entry_idx"]) - 1,
                    number(&call["exit_idx"]) - 1,
                    call["callee"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        expected.sort_unstable();
        let calls = self.index.calls();
        let frames = (0..calls.len()).filter_map(|id| calls.get(stepback_index::CallId(id)));
        let returned = frames.filter(|call| call.entered == Entered::Call && call.left == Left::Return);
        let mut found: Vec<_> = returned
            .map(|call| {
                (
                    call.call_step.unwrap().0,
                    call.entry_step.unwrap().0,
                    call.exit_step.unwrap().0,
                    format!("{:x}", call.function.0),
                )
            })
            .collect();
        found.sort_unstable();
        let missing: Vec<_> = expected.iter().filter(|call| !found.contains(call)).take(5).collect();
        let extra: Vec<_> = found.iter().filter(|call| !expected.contains(call)).take(5).collect();
        assert!(missing.is_empty() && extra.is_empty(), "{}: missing {missing:?}, extra {extra:?}", self.name);
        self.compared.calls += found.len() as u64;
    }
}

fn compare(name: &str, index: &Index<Tarmac>, records: &[Json], calls: &[Json]) -> Compared {
    assert_eq!(index.thread_by_name("cpu0"), Some(ThreadId(0)));
    let mut golden = Golden { index, name, compared: Compared::default() };
    records.iter().for_each(|record| golden.record(record));
    golden.calls(calls);
    golden.compared
}

#[test]
fn real_traces_agree_with_the_emulator_that_made_them() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES").map(PathBuf::from) else {
        println!("skipped: STEPBACK_TRACES is not set");
        return;
    };
    let names = [
        "own/qsort.tiny",
        "own/qsort.small",
        "own/qsort.es.tiny",
        "own/recurse.tiny",
        "own/recurse.small",
        "own/overflow_bare.tiny",
        "own/overflow_bare.small",
        "own/cm3.tiny",
        "own/fp32.tiny",
        "lua/lua.tiny",
        "lua/lua.small",
        "lua/lua.medium",
    ];
    for name in names {
        let file = |suffix: &str| traces.join("tarmac").join(format!("{name}.{suffix}"));
        let text = bytes_of(&file("tarmac"));
        let segment_bytes = if name.ends_with("medium") { 16 << 20 } else { 64 << 10 };
        let index = open(Box::new(text), segment_bytes);
        let compared = compare(name, &index, &json_lines(&file("golden.jsonl")), &json_lines(&file("calls.jsonl")));
        println!("{name}: {compared:?}");
        assert!(compared.registers > 1000 && compared.bytes > 1000 && compared.calls > 5, "{name}: {compared:?}");
    }
}

#[test]
fn the_fixtures_agree_with_the_emulator_that_made_them() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    for name in ["overflow_bare.tiny", "qsort.es.tiny", "cm3.tiny", "fp32.tiny", "recurse.tiny"] {
        let text = bytes_of(&fixtures.join(format!("{name}.tarmac")));
        let golden = |suffix: &str| json_lines(&fixtures.join("golden").join(format!("{name}.{suffix}.jsonl")));
        let compared = compare(name, &open(Box::new(text), 16 << 10), &golden("golden"), &golden("calls"));
        assert!(compared.registers > 50 && compared.bytes > 50 && compared.calls > 5, "{name}: {compared:?}");
    }
}
