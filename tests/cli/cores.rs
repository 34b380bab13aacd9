//! Tarmac traces with a file for each core.

use std::fs;

use serde_json::Value;

use crate::cli::support::Sandbox;

/// Two cores in one file.
fn whole() -> String {
    fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/amp.head.tarmac"
    ))
    .unwrap()
}

/// Returns the lines of a core, with or without its name.
fn lines_of(cpu: &str, is_named: bool) -> String {
    let name = format!(" {cpu} ");
    let text = whole();
    let lines = text.lines().filter(|line| line.contains(&name));
    lines
        .map(|line| {
            if is_named {
                format!("{line}\n")
            } else {
                format!("{}\n", line.replacen(&name, " ", 1))
            }
        })
        .collect()
}

/// Returns the address, time and effects of each step of a thread.
fn steps(sandbox: &Sandbox, trace: &[&str], thread: &str) -> Vec<Value> {
    let words = [&["list"], trace, &["--thread", thread]].concat();
    let keep = |step: &Value| {
        serde_json::json!([step["pc"], step["time"], step["effects"], step["thread"]])
    };
    sandbox.json_lines(&words).iter().map(keep).collect()
}

#[track_caller]
fn check(names: [&str; 2], is_named: bool) {
    let sandbox = Sandbox::new();
    let one_file = sandbox.file("both.tarmac", whole());
    let [first, second] =
        [0, 1].map(|core| sandbox.file(names[core], lines_of(&format!("cpu{core}"), is_named)));
    let spellings = [vec![&*first, "--with", &*second], vec![&*first, &*second]];
    let info = sandbox.json(&["info", &one_file]);
    for merged in &spellings {
        let found = sandbox.json(&[&["info"], &**merged].concat());
        for field in ["steps", "threads", "time", "external_changes", "warnings"] {
            assert_eq!(found[field], info[field], "{field}");
        }
        for thread in ["cpu0", "cpu1"] {
            let expected = steps(&sandbox, &[&one_file], thread);
            assert!(expected.len() > 100);
            assert_eq!(steps(&sandbox, merged, thread), expected, "{thread}");
        }
        let last = |trace: &[&str]| {
            let hit = sandbox
                .json(&[&["find"], trace, &["last-write", "x0", "--thread", "cpu1"]].concat());
            (
                hit["hit"]["pc"].clone(),
                hit["hit"]["time"].clone(),
                hit["hit"]["access"]["value"].clone(),
            )
        };
        assert_eq!(last(merged), last(&[&one_file]));
    }
}

#[test]
fn files_that_name_their_core_are_one_trace() {
    check(["a.tarmac", "b.tarmac"], true);
}

#[test]
fn files_that_name_no_core_have_its_number_in_their_names() {
    check(["tarmac.core0.log", "tarmac.core1.log"], false);
    check(["first.tarmac", "second.tarmac"], false);
}

#[test]
fn what_is_no_trace_is_refused() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", lines_of("cpu0", true));
    let letter = sandbox.file("letter.txt", "Dear Sir,\nit is late.\n");
    let message = "several files are one trace only where all hold records, or all are Tarmac text";
    sandbox
        .run(&["info", &trace, "--with", &letter])
        .fails_with(&[message]);
}
