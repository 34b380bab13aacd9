//! What formats without lines, times, accesses or tasks say about them: never a zero.

use serde_json::{Value, json};

use crate::cli::support::{Sandbox, copy_tree, fixture_path, text};

/// Copies a fixture that may be a folder.
fn put(sandbox: &Sandbox, name: &str) -> String {
    let copy = sandbox.path(name.rsplit('/').next().unwrap_or(name));
    copy_tree(&fixture_path(name), &copy);
    text(&copy)
}

const RST: &str = "rst/small.rst";
const THREADS: &str = "drmemtrace/threads";

fn branches(sandbox: &Sandbox, name: &str) -> String {
    put(sandbox, "btrace/hello.elf");
    put(sandbox, &format!("btrace/{name}"))
}

#[test]
fn visits_without_lines_and_times_show_the_instruction() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, RST);
    let ran = sandbox.run(&["callinfo", &trace, "0x100164"]).succeeds();
    assert_eq!(ran.out, " - (i:1)\n");
    let visits = sandbox.json_lines(&["callinfo", &trace, "0x100178"]);
    let fields = ["line", "time", "offset"].map(|name| &visits[0][name]);
    assert_eq!(fields, [&Value::Null; 3]);
    // The number is a position.
    let text = sandbox
        .run(&["callinfo", &trace, "0x100178"])
        .succeeds()
        .out;
    let first = text.lines().next().unwrap();
    let place = first.trim_start_matches(" - (").trim_end_matches(')');
    let at = sandbox.json(&["at", &trace, place]);
    assert_eq!(at["last_step"]["step"], visits[0]["step"]);
}

#[test]
fn times_are_shown_without_lines() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, THREADS);
    sandbox
        .run(&["callinfo", &trace, "0x401000"])
        .succeeds()
        .prints(" - time: 1755526400000000 (i:1)\n");
    sandbox
        .run(&["calltree", &trace])
        .succeeds()
        .prints("100:\no t:1755526400000000 i:1 pc:0x401000 - ");
}

#[test]
fn call_trees_without_lines_and_times_show_the_instruction() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, RST);
    let cases = [
        (
            &["calltree"][..],
            "o i:1 pc:0x100164 - i:1744 pc:0xf0002da0 : ",
        ),
        (
            &["calltree", "--all-frames"],
            "o i:1 pc:0x100164 - the end : ",
        ),
    ];
    for (arguments, first) in cases {
        let out = sandbox
            .run(&[arguments, &[&trace]].concat())
            .succeeds()
            .prints(first)
            .out;
        let is_unknown_shown = out.contains(" l:") || out.contains(" t:") || out.contains("pos:");
        assert!(!is_unknown_shown, "{out}");
    }
}

#[test]
fn tasks_of_an_operating_system_that_are_threads_are_refused() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, THREADS);
    for arguments in [&["tasks"][..], &["tasks", "--runs"], &["tasks", "--json"]] {
        sandbox
            .run(&[arguments, &[&trace]].concat())
            .ends_misspelt()
            .says("use threads");
    }
}

#[test]
fn a_task_takes_the_time_of_its_own_thread() {
    let sandbox = Sandbox::new();
    let [one, several] = ["hello.btf", "hello_mt.btf.zst"].map(|name| branches(&sandbox, name));
    let one = sandbox.json(&["tasks", &one]);
    let several = sandbox.json_lines(&["tasks", &several]);
    assert_eq!(one["time"], 1_782_520 - 4_240 + 1);
    assert_eq!(several[0]["time"], one["time"]);
    assert_ne!(several[1]["time"], one["time"]);
}

#[test]
fn a_trace_ends_no_earlier_than_its_threads() {
    let sandbox = Sandbox::new();
    let traces = [
        put(&sandbox, THREADS),
        put(&sandbox, "drmemtrace/kernel"),
        branches(&sandbox, "hello_mt.btf.zst"),
    ];
    for trace in traces {
        let info = sandbox.json(&["info", &trace]);
        let threads = sandbox.json_lines(&["threads", &trace]);
        assert_eq!(info["threads"], json!(threads));
        let of = |name: &str| {
            threads
                .iter()
                .map(|thread| thread[name].as_u64().unwrap())
                .collect::<Vec<_>>()
        };
        let (first, last) = (of("first_time"), of("last_time"));
        assert_eq!(
            info["time"]["first"],
            *first.iter().min().unwrap(),
            "{trace}"
        );
        assert_eq!(info["time"]["last"], *last.iter().max().unwrap(), "{trace}");
    }
}

#[test]
fn a_thread_lasts_to_its_last_step_in_the_unit_of_the_trace() {
    let sandbox = Sandbox::new();
    let trace = branches(&sandbox, "hello.btf");
    let thread = sandbox.json(&["threads", &trace]);
    assert_eq!(
        (&thread["first_time"], &thread["last_time"]),
        (&json!(1_000_000_004_240_u64), &json!(1_000_001_782_520_u64))
    );
    // The times are nanoseconds.
    sandbox
        .run(&["threads", &trace])
        .succeeds()
        .prints("0 to 1,736 · 1.7 ms · cores 0");
}

#[test]
fn accesses_that_are_not_recorded_are_unknown() {
    let sandbox = Sandbox::new();
    let trace = branches(&sandbox, "hello.btf");
    let counts = sandbox.json(&["counts", &trace]);
    for name in ["loads", "stores", "bytes_read", "bytes_written"] {
        assert_eq!(counts[name], Value::Null, "{name}");
        assert_eq!(counts["threads"][0][name], Value::Null, "{name}");
    }
    sandbox
        .run(&["counts", &trace])
        .succeeds()
        .prints("     unknown total data loads\n")
        .says("does not record accesses to memory");
    sandbox
        .run(&["heat", &trace])
        .succeeds()
        .says("does not record accesses to memory");
    for question in [&["last-write", "0x200660:4"][..], &["next-external"]] {
        let refused = sandbox.run(&[&["find", &trace], question].concat());
        assert_eq!(refused.code, Some(2), "{refused:?}");
        refused.says("this btrace trace does not record accesses to memory");
    }
    sandbox
        .run(&["why", &trace, "0x200660:4"])
        .prints("table+0x28: this trace does not record accesses to memory");
    let memory = |range: &str| {
        sandbox.json(&["at", &trace, "end", "--mem", range])["memory"][0]["sources"].clone()
    };
    // Variables may have been written, constants not.
    assert_eq!(memory("0x200660:4"), "????");
    assert_eq!(memory("0x100580:4"), "iiii");
    let recorded = sandbox.json(&["counts", &put(&sandbox, RST)]);
    assert_eq!(recorded["loads"], 164);
}

#[test]
fn a_trace_without_heap_events_does_not_count_blocks() {
    let sandbox = Sandbox::new();
    for name in [RST, THREADS] {
        let trace = put(&sandbox, name);
        let ran = sandbox.run(&["heap", &trace]).succeeds();
        assert_eq!(ran.out, "the heap is unknown\n");
        ran.says("note: the trace has no heap events: ");
    }
}
