//! Compares answers with the log of the emulator that made the real traces.
//!
//! Uses the folder `tarmac/` in `STEPBACK_TRACES`, and always a small trace from `fixtures/`.
//! Rules: `idx` of a golden record counts steps from 1 and is also the position after that step. A
//! last write of 0 is the initial dump. Bytes with `sys` 1 were written by a system call that the
//! trace does not show.

mod calls;
mod logs;
mod stf;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use goblin::elf::Elf;
use goblin::elf::header::EM_ARM;
use goblin::elf::sym::STT_FUNC;
use serde_json::Value as Json;
use stepback_index::answer::{AccessKinds, Cell, CellAccess, Program, ThreadId, ValueSource};
use stepback_index::build::{BuildOptions, index_in_memory, with_images};
use stepback_index::query::{LineOfStep, MemoryAt, NearestAccess, RegistersAt, Steps, tail_calls};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query};
use stepback_machine::Address;
use stepback_parsers::{Line, Position, ReadAt, Step, Tarmac};

fn open(input: Box<dyn ReadAt>, segment_bytes: u64) -> Index {
    let tarmac = Arc::new(Tarmac::open(input, Default::default()).unwrap());
    index_in_memory(
        tarmac,
        &BuildOptions {
            segment_bytes,
            ..Default::default()
        },
    )
    .unwrap()
}

/// Loads the image of a program.
fn program(elf: &Path) -> Program {
    let bytes = bytes_of(elf);
    let elf = Elf::parse(&bytes).unwrap();
    let is_thumb = elf.header.e_machine == EM_ARM;
    let symbols = elf
        .syms
        .iter()
        .filter(|symbol| symbol.st_type() == STT_FUNC);
    let ranges = symbols.map(|symbol| {
        let start = if is_thumb {
            symbol.st_value & !1
        } else {
            symbol.st_value
        };
        start..start + symbol.st_size
    });
    let mut program = Program::default();
    ranges.for_each(|range| program.add_function(range));
    program
}

/// Reads JSON lines from a file, unpacked by `zstd` if compressed.
fn json_lines(path: &Path) -> Vec<Json> {
    let text = String::from_utf8(bytes_of(path)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn bytes_of(path: &Path) -> Vec<u8> {
    if path.exists() {
        return std::fs::read(path).unwrap();
    }
    let packed = PathBuf::from(format!("{}.zst", path.display()));
    let unpacked = Command::new("zstd")
        .arg("-dc")
        .arg(&packed)
        .output()
        .expect("zstd is needed for packed traces");
    assert!(unpacked.status.success(), "{}", packed.display());
    unpacked.stdout
}

fn number(json: &Json) -> u64 {
    json.as_u64().unwrap()
}

/// Counts of comparisons, so that a test without any does not pass.
#[derive(Debug, Default)]
struct Compared {
    registers: u64,
    bytes: u64,
    writes: u64,
    calls: u64,
    frames: u64,
    tails: u64,
}

/// The golden records of one thread of a trace.
struct Golden<'a> {
    index: &'a Index,
    name: &'a str,
    thread: ThreadId,
    /// The thread's steps. The emulator counts each thread separately, from 1.
    steps: Vec<Step>,
    rules: GoldenRules,
    compared: Compared,
}

/// Differences between the golden records of several kinds of traces.
#[derive(Clone, Copy, Debug)]
struct GoldenRules {
    /// True if the records have the times of the steps.
    has_times: bool,
    /// True if the records state whether a step was executed as the trace does.
    has_executed: bool,
    /// True if values of memory are recorded as soon as the golden records say that they are shown.
    has_values: bool,
    /// True if the trace shows stores, so that last writes of memory can be compared.
    has_stores: bool,
    /// True if the trace shows a register only when its value changes.
    shows_changes: bool,
    /// True if the path of the trace allows to find the calls.
    has_calls: bool,
}

impl GoldenRules {
    fn tarmac(name: &str) -> Self {
        Self {
            has_times: true,
            has_executed: !name.contains(".es."),
            has_values: true,
            has_stores: true,
            shows_changes: false,
            has_calls: true,
        }
    }
}

impl Golden<'_> {
    fn ask<Q: Query>(&self, query: Q) -> Q::Answer {
        query
            .run(self.index, &Cancel::default())
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Returns the step with this emulator number.
    fn step(&self, idx: u64) -> Step {
        self.steps[usize::try_from(idx).unwrap() - 1]
    }

    /// Returns the position after that step; after the initial dump for 0.
    fn position(&self, idx: u64) -> Position {
        Position(if idx == 0 { 0 } else { self.step(idx).0 + 1 })
    }

    /// Compares lines and times, which are recorded only for traces with one thread.
    fn place(&self, record: &Json, step: Step) {
        let line = Line(number(&record["line"]));
        assert_eq!(
            self.ask(LineOfStep(step)),
            Some(line),
            "{}: line of step {}",
            self.name,
            step.0
        );
        if self.rules.has_times {
            let steps = self.ask(Steps {
                first: step,
                count: 1,
            });
            let time = number(&record["time"]);
            assert_eq!(steps[0].time, Some(time), "{}: time", self.name);
        }
    }

    fn record(&mut self, record: &Json) {
        let position = self.position(number(&record["idx"]));
        let step = Step(position.0 - 1);
        if self.index.threads().len() == 1 {
            self.place(record, step);
        }
        for (name, register) in record["regs"].as_object().unwrap() {
            self.register(position, name, register);
        }
        let steps = self.ask(Steps {
            first: step,
            count: 1,
        });
        assert_eq!(
            format!("{:x}", steps[0].pc.0),
            record["pc"].as_str().unwrap(),
            "{}: pc",
            self.name
        );
        if self.rules.has_executed {
            assert_eq!(
                steps[0].is_executed,
                record["executed"].as_bool().unwrap(),
                "{}: executed",
                self.name
            );
        }
        for cell in record["mem"].as_array().unwrap() {
            self.memory(position, cell);
        }
        if self.rules.has_calls {
            self.stack(position, record);
        }
    }

    fn register(&mut self, position: Position, name: &str, golden: &Json) {
        let context = format!("{}: {name} at {}", self.name, position.0);
        let file = self.ask(RegistersAt {
            position,
            thread: Some(self.thread),
        });
        let view = NameReader(self.index)
            .register_view(name, file.thread)
            .unwrap_or_else(|| panic!("{context}: no register"));
        let lower = name.to_lowercase();
        let shown = stepback_machine::Registers::name(view, file.instruction_set).unwrap_or(&lower);
        let state = file
            .state(shown)
            .unwrap_or_else(|| panic!("{context}: {shown} is not shown"));
        if number(&golden[3]) == 0 && !self.rules.has_values && !state.value.is_unknown() {
            // Each digit inferred from the instructions must be the recorded one.
            let digits = state.value.hex();
            let true_digits = golden[0].as_str().unwrap().chars();
            let is_true = digits
                .chars()
                .zip(true_digits)
                .all(|(ours, theirs)| ours == '?' || ours == theirs);
            assert!(is_true, "{context}: {digits} instead of {}", golden[0]);
            return;
        }
        if number(&golden[3]) == 0 {
            assert!(
                state.value.is_unknown(),
                "{context}: known without a line that names it"
            );
            return;
        }
        assert_eq!(state.value.hex(), golden[0].as_str().unwrap(), "{context}");
        let written = number(&golden[if self.rules.shows_changes { 2 } else { 1 }]);
        assert_eq!(
            state.written_at,
            Some(self.position(written)),
            "{context}: last write"
        );
        let cell = Cell::Register {
            thread: file.thread,
            view,
        };
        self.last_write(position, cell, written, &context);
        self.compared.registers += 1;
    }

    fn last_write(&mut self, before: Position, cell: Cell, golden: u64, context: &str) {
        match self.ask(NearestAccess::last(cell, AccessKinds::Writes, before)) {
            Some(CellAccess::Step(hit)) => {
                assert_eq!(hit.position, self.position(golden), "{context}: position");
                assert_eq!(
                    hit.record.step.0 + 1,
                    hit.position.0,
                    "{context}: last write"
                );
            }
            Some(CellAccess::Initial(_)) | None => {
                assert_eq!(golden, 0, "{context}: last write")
            }
        }
        self.compared.writes += 1;
    }

    fn memory(&mut self, position: Position, cell: &Json) {
        let address = u64::from_str_radix(cell["addr"].as_str().unwrap(), 16).unwrap();
        let golden = cell["bytes"].as_str().unwrap();
        let bytes = self.ask(MemoryAt {
            position,
            address: Address(address),
            len_bytes: golden.len() as u64 / 2,
        });
        let is_set =
            |flags: &str, place: usize| cell[flags].as_str().unwrap().as_bytes()[place] == b'1';
        for (place, byte) in bytes.iter().enumerate() {
            let context = format!(
                "{}: byte {:#x} at {}",
                self.name,
                address + place as u64,
                position.0
            );
            let true_value = u8::from_str_radix(&golden[2 * place..2 * place + 2], 16).unwrap();
            if is_set("seen", place) {
                assert!(
                    matches!(byte.source, ValueSource::Recorded | ValueSource::External)
                        || is_set("sys", place),
                    "{context}: {byte:?}"
                );
            } else if self.rules.has_values {
                assert!(
                    matches!(byte.source, ValueSource::Unknown | ValueSource::Inferred),
                    "{context}: {byte:?}"
                );
            }
            if is_set("sys", place) {
                continue;
            }
            if !self.rules.has_values {
                let is_true = byte.value.is_none_or(|value| value == true_value);
                assert!(is_true, "{context}: {byte:?}");
            }
            if is_set("seen", place) {
                // Inferred values may be wrong if a system call wrote without a trace line.
                assert_eq!(byte.value, Some(true_value), "{context}: {byte:?}");
                self.compared.bytes += 1;
            }
            if !self.rules.has_stores {
                continue;
            }
            let cell_of_byte = Cell::Memory {
                address: Address(address + place as u64),
                len_bytes: 1,
            };
            self.last_write(
                position,
                cell_of_byte,
                number(&cell["last_write"][place]),
                &context,
            );
        }
    }
}

/// Compares all golden records of a thread.
fn compare(
    name: &str,
    index: &Index,
    thread: ThreadId,
    records: &[Json],
    calls: &[Json],
) -> Compared {
    let steps = Steps {
        first: Step(0),
        count: index.step_count(),
    };
    let steps = steps.run(index, &Cancel::default()).unwrap();
    let steps = steps
        .iter()
        .filter(|step| step.thread == thread)
        .map(|step| step.step)
        .collect();
    let mut golden = Golden {
        index,
        name,
        thread,
        steps,
        rules: GoldenRules::tarmac(name),
        compared: Compared::default(),
    };
    records.iter().for_each(|record| golden.record(record));
    golden.calls(calls);
    if !index.program().functions().is_empty() {
        golden.tails(calls);
    }
    println!("{name}: {:?}", golden.compared);
    golden.compared
}

fn traces() -> Option<PathBuf> {
    let traces =
        std::env::var_os("STEPBACK_TRACES").map(|traces| PathBuf::from(traces).join("tarmac"));
    if traces.is_none() {
        println!("skipped: STEPBACK_TRACES is not set");
    }
    traces
}

#[test]
fn real_traces_agree_with_the_emulator_that_made_them() {
    let Some(traces) = traces() else { return };
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
        let file = |suffix: &str| traces.join(format!("{name}.{suffix}"));
        let text = bytes_of(&file("tarmac"));
        let segment_bytes = if name.ends_with("medium") {
            16 << 20
        } else {
            64 << 10
        };
        let elf = traces.join(format!("{}.elf", name.split('.').next().unwrap()));
        let mut index = with_images(
            open(Box::new(text), segment_bytes),
            program(&elf),
            &Cancel::default(),
        );
        index
            .find_tail_calls(tail_calls, &Cancel::default())
            .unwrap();
        let (records, calls) = (
            json_lines(&file("golden.jsonl")),
            json_lines(&file("calls.jsonl")),
        );
        let compared = compare(name, &index, ThreadId(0), &records, &calls);
        assert!(
            compared.registers > 1000 && compared.bytes > 1000 && compared.calls > 5,
            "{name}: {compared:?}"
        );
    }
}

/// Compares both cores of a trace. `file` returns the path of a core's golden records.
fn compare_cores(index: &Index, file: impl Fn(usize, &str) -> PathBuf, calls_at_least: u64) {
    for (core, thread) in [(0, ThreadId(0)), (1, ThreadId(1))] {
        let name = format!("cpu{core}");
        assert_eq!(index.thread_by_name(&name), Some(thread));
        let (records, calls) = (
            json_lines(&file(core, "golden.jsonl")),
            json_lines(&file(core, "calls.jsonl")),
        );
        let compared = compare(&name, index, thread, &records, &calls);
        assert!(
            compared.registers > 100 && compared.calls >= calls_at_least,
            "{name}: {compared:?}"
        );
    }
}

#[test]
fn two_cores_in_one_trace_agree_with_the_emulator_that_made_each() {
    let Some(traces) = traces() else { return };
    let index = open(
        Box::new(bytes_of(&traces.join("own/amp.small.tarmac"))),
        64 << 10,
    );
    compare_cores(
        &index,
        |core, suffix| traces.join(format!("own/amp{core}.{suffix}")),
        300,
    );
}

#[test]
fn the_fixture_of_two_cores_agrees_with_the_emulator_that_made_each() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let index = open(
        Box::new(bytes_of(&fixtures.join("amp.head.tarmac"))),
        16 << 10,
    );
    compare_cores(
        &index,
        |core, suffix| fixtures.join(format!("golden/amp.head.cpu{core}.{suffix}")),
        3,
    );
}

#[test]
fn the_fixtures_agree_with_the_emulator_that_made_them() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    for name in [
        "overflow_bare.tiny",
        "qsort.es.tiny",
        "cm3.tiny",
        "fp32.tiny",
        "recurse.tiny",
    ] {
        let index = open(
            Box::new(bytes_of(&fixtures.join(format!("{name}.tarmac")))),
            16 << 10,
        );
        let golden = |suffix: &str| {
            json_lines(
                &fixtures
                    .join("golden")
                    .join(format!("{name}.{suffix}.jsonl")),
            )
        };
        let compared = compare(
            name,
            &index,
            ThreadId(0),
            &golden("golden"),
            &golden("calls"),
        );
        assert!(
            compared.registers > 50 && compared.bytes > 50 && compared.calls > 5,
            "{name}: {compared:?}"
        );
    }
}
