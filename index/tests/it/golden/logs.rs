//! Logs in text, compared with emulators that ran the same programs.
//!
//! Uses the folders `riscv/`, `qemu/` and `delta/` in `STEPBACK_TRACES`. `idx` counts the steps of
//! all harts.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use stepback_index::Index;
use stepback_index::answer::{CallId, FrameEntry};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::Steps;
use stepback_index::{Cancel, Query};
use stepback_parsers::{Format, Step, TraceAssumptions};

use super::{Compared, Golden, GoldenRules, bytes_of, json_lines, number};

fn open(text: Vec<u8>) -> Index {
    let format = Format::of_input(&text).unwrap();
    let source = format
        .open_text(Box::new(text), TraceAssumptions::default())
        .unwrap();
    index_in_memory(
        source,
        &BuildOptions {
            segment_bytes: 64 << 10,
            ..Default::default()
        },
    )
    .unwrap()
}

impl Golden<'_> {
    /// Compares the steps at which traps begin and end.
    fn traps(&self, golden: &[Json]) {
        let expected: BTreeSet<(u64, Option<u64>)> = golden
            .iter()
            // A trap after the last step has no step of its handler.
            .filter(|record| record["kind"] == "trap" && number(&record["entry_idx"]) > 0)
            .map(|record| {
                let exit = Some(number(&record["exit_idx"])).filter(|exit| *exit > 0);
                (number(&record["entry_idx"]) - 1, exit.map(|exit| exit - 1))
            })
            .collect();
        let calls = self.index.plain_calls();
        let frames = (0..calls.len()).filter_map(|id| calls.get(CallId(id)));
        let found: BTreeSet<_> = frames
            .filter(|call| call.thread == self.thread && call.entered == FrameEntry::Exception)
            .map(|call| {
                (
                    call.entry_step.unwrap().0,
                    call.exit_step.map(|step| step.0),
                )
            })
            .collect();
        assert_eq!(found, expected, "{}: traps", self.name);
    }
}

/// Compares a log with the emulator, hart by hart.
fn compare_log(name: &str, folder: &str, thread_prefix: &str) -> Option<Compared> {
    let traces = std::env::var_os("STEPBACK_TRACES").map(std::path::PathBuf::from)?;
    let file = |suffix: &str| traces.join(folder).join(format!("{name}.{suffix}"));
    let index = open(bytes_of(&file("log")));
    let meta: Json = serde_json::from_slice(&bytes_of(&file("meta.json"))).unwrap();
    assert_eq!(index.step_count(), number(&meta["steps"]), "{name}: steps");
    let (records, calls) = (
        json_lines(&file("golden.jsonl")),
        json_lines(&file("calls.jsonl")),
    );
    let shows = &meta["shows"];
    let is_shown = |what: &str| shows[what] != false;
    let mut total = Compared::default();
    for hart in 0..meta["harts"].as_u64().unwrap_or(1) {
        let thread = format!("{thread_prefix}{hart}");
        let steps = Steps {
            first: Step(0),
            count: index.step_count(),
        };
        let steps = steps.run(&index, &Cancel::default()).unwrap();
        let mut golden = Golden {
            index: &index,
            name,
            thread: index.thread_by_name(&thread).unwrap(),
            steps: steps.iter().map(|step| step.step).collect(),
            rules: GoldenRules {
                has_times: false,
                has_executed: true,
                has_values: is_shown("loads") && folder == "riscv",
                has_stores: is_shown("stores"),
                shows_changes: folder != "riscv",
                has_calls: is_shown("all_instructions"),
            },
            compared: Compared::default(),
        };
        let is_own = |record: &&Json| record["hart"].as_u64().unwrap_or(0) == hart;
        for record in records.iter().filter(is_own) {
            golden.record(record);
        }
        let own: Vec<Json> = calls.iter().filter(is_own).cloned().collect();
        if golden.rules.has_calls {
            golden.calls(&own);
            golden.traps(&own);
        }
        total = golden.compared;
    }
    println!("{name}: {total:?}");
    Some(total)
}

#[test]
fn commit_logs_agree_with_the_emulator() {
    for name in [
        "rvtiny.spike",
        "rvtiny.spike-2017",
        "rvtiny.spike-2019",
        "rvtiny.spike-2020",
        "rvtiny.cva6",
        "rvtiny.rocket",
        "rvtiny.dromajo",
        "rvtiny.sail",
        "rvtiny.whisper-csv",
        "rv32tiny.spike",
        "rv32tiny.ibex",
        "rv32tiny.cv32e40p",
        "rv32tiny.whisper",
        "rv32mix.spike",
        "rvover.commit",
        "rvsort.spike",
        "rvtrap.spike",
    ] {
        let Some(compared) = compare_log(name, "riscv", "hart") else {
            println!("skipped: STEPBACK_TRACES is not set");
            return;
        };
        assert!(compared.registers > 300, "{name}: {compared:?}");
    }
}

#[test]
fn logs_of_qemu_and_tenet_agree_with_the_emulator() {
    for (folder, name) in [
        ("qemu", "qmix.aarch64.execlog"),
        ("qemu", "qmix.aarch64.noreg"),
        ("qemu", "qmix.aarch64.dcpu"),
        ("qemu", "qmix.arm.execlog"),
        ("qemu", "qmix.riscv64.execlog"),
        ("qemu", "qmix.x86_64.execlog"),
        ("delta", "qmix.aarch64.tenet"),
        ("delta", "qmix.x86_64.tenet"),
    ] {
        let Some(compared) = compare_log(name, folder, "cpu") else {
            println!("skipped: STEPBACK_TRACES is not set");
            return;
        };
        assert!(compared.calls > 100, "{name}: {compared:?}");
    }
}
