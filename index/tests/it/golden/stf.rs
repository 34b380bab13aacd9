//! STF traces, compared with the emulator that ran the same programs.
//!
//! The traces and their answers are in `fixtures/stf`. `idx` counts the steps of a log in which an
//! instruction that an interrupt preceded appears once; in STF it appears twice.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;
use stepback_index::answer::{Call, CallId, Effect, FrameEntry};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{MemoryAt, RegistersAt, Steps};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query};
use stepback_machine::Address;
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::{Format, MarkerKind, Step, TraceAssumptions, TraceFile};

use super::{Compared, Golden, GoldenRules, json_lines, number};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/stf")
}

fn open(name: &str) -> Index {
    let file = TraceFile {
        name: name.to_owned(),
        data: Arc::new(std::fs::read(folder().join(name)).unwrap()),
    };
    assert_eq!(Format::of_file(&file), Some(Format::Stf));
    let assumed = TraceAssumptions::default();
    let source = Format::Stf
        .open_files(vec![file], assumed, CacheFileOptions::default())
        .unwrap();
    let options = BuildOptions {
        segment_bytes: 64 << 10,
        ..Default::default()
    };
    index_in_memory(source, &options).unwrap()
}

/// Returns the steps that the log has, too.
fn steps_of_log(index: &Index) -> Vec<Step> {
    let all = Steps {
        first: Step(0),
        count: index.step_count(),
    };
    let all = all.run(index, &Cancel::default()).unwrap();
    let is_interrupted = |effects: &[Effect]| {
        effects.iter().any(|effect| {
            matches!(effect, Effect::Marker(marker)
                if marker.kind == MarkerKind::TRAP && marker.value >> 63 == 1)
        })
    };
    let own = all.iter().filter(|step| !is_interrupted(&step.effects));
    own.map(|step| step.step).collect()
}

/// Whether a trace states every register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Registers {
    Recorded,
    Inferred,
}

impl Golden<'_> {
    fn stf_record(&mut self, record: &Json, registers: Registers) {
        let position = self.position(number(&record["idx"]));
        let first = Step(position.0 - 1);
        let step = self.ask(Steps { first, count: 1 }).remove(0);
        let context = format!("{} at {}", self.name, position.0);
        assert_eq!(format!("{:x}", step.pc.0), record["pc"].as_str().unwrap());
        assert_eq!(step.is_executed, record["executed"].as_bool().unwrap());
        let file = self.ask(RegistersAt {
            position,
            thread: Some(self.thread),
        });
        for (name, golden) in record["regs"].as_object().unwrap() {
            let view = NameReader(self.index)
                .register_view(name, file.thread)
                .unwrap();
            let shown = stepback_machine::Registers::name(view, file.instruction_set).unwrap();
            let state = file.state(shown).unwrap();
            let hex = state.value.hex();
            if registers == Registers::Inferred && hex.contains('?') {
                continue;
            }
            assert_eq!(hex, golden[0].as_str().unwrap(), "{context}: {name}");
            if number(&golden[1]) > 0 {
                let written = self.position(number(&golden[1]));
                assert_eq!(state.written_at, Some(written), "{context}: {name}");
                self.compared.writes += 1;
            }
            self.compared.registers += 1;
        }
        for cell in record["mem"].as_array().unwrap() {
            let address = u64::from_str_radix(cell["addr"].as_str().unwrap(), 16).unwrap();
            let golden = cell["bytes"].as_str().unwrap();
            let bytes = self.ask(MemoryAt {
                position,
                address: Address(address),
                len_bytes: golden.len() as u64 / 2,
            });
            let seen = cell["seen"].as_str().unwrap().as_bytes();
            for ((byte, place), seen) in bytes.iter().zip((0..).step_by(2)).zip(seen) {
                let expected = u8::from_str_radix(&golden[place..place + 2], 16).unwrap();
                if *seen == b'1' || byte.value.is_some() {
                    assert_eq!(byte.value, Some(expected), "{context}: {address:x}");
                    self.compared.bytes += 1;
                }
            }
        }
    }

    /// Compares the traps: the steps at which they begin and end.
    fn stf_traps(&self, golden: &[Json]) {
        let traps = golden.iter().filter(|record| record["kind"] == "trap");
        let step = |json: &Json| {
            Some(number(json))
                .filter(|idx| *idx > 0)
                .map(|idx| self.step(idx))
        };
        let expected: Vec<_> = traps
            .map(|record| (step(&record["entry_idx"]), step(&record["exit_idx"])))
            .filter(|(entry, _)| entry.is_some())
            .collect();
        let calls = self.index.plain_calls();
        let frames = (0..calls.len()).filter_map(|id| calls.get(CallId(id)));
        let is_trap = |call: &Call| call.entered == FrameEntry::Exception;
        let mut found: Vec<_> = frames
            .filter(is_trap)
            .map(|call| (call.entry_step, call.exit_step))
            .filter(|(entry, _)| entry.is_some())
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{}: traps", self.name);
    }
}

fn compare(trace: &str, answers: &str, registers: Registers) -> Compared {
    let index = open(trace);
    let answer = |kind: &str| json_lines(&folder().join(format!("{answers}.{kind}.jsonl")));
    let mut golden = Golden {
        index: &index,
        name: trace,
        thread: index.thread_by_name("hart0").unwrap(),
        steps: steps_of_log(&index),
        rules: GoldenRules {
            has_times: false,
            has_executed: true,
            has_values: true,
            has_stores: true,
            shows_changes: false,
            has_calls: true,
        },
        compared: Compared::default(),
    };
    for record in answer("golden") {
        golden.stf_record(&record, registers);
    }
    let calls = answer("calls");
    golden.stf_traps(&calls);
    golden.calls(&calls);
    golden.compared
}

#[test]
fn stf_traces_agree_with_the_emulator() {
    for trace in ["rvtiny.stf", "rvtiny.zstf"] {
        let compared = compare(trace, "rvtiny", Registers::Recorded);
        assert!(
            compared.registers > 1000 && compared.bytes > 1000,
            "{trace}: {compared:?}"
        );
    }
    let compared = compare("rvtrap.zstf", "rvtrap", Registers::Inferred);
    assert!(
        compared.registers > 300 && compared.bytes > 1000,
        "{compared:?}"
    );
}
