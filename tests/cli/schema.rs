//! The JSON output against the schemas that `stepback schema` prints.

use std::fs;

use serde_json::Value;

use crate::cli::support::{AMP, OVERFLOW, Sandbox, copy_tree, fixture_path, overflow_image};

/// Checks the output of a command, which is one value or one per line.
#[track_caller]
fn check(sandbox: &Sandbox, arguments: &[&str]) {
    let schema = sandbox.run(&["schema", arguments[0]]).succeeds().out;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let is_by_line = schema["description"] == "One value per line.";
    let validator = jsonschema::validator_for(&schema).unwrap();
    let answer = sandbox.run(&[arguments, &["--json"]].concat());
    assert!(matches!(answer.code, Some(0)), "{arguments:?}: {answer:?}");
    let lines: Vec<&str> = answer.out.lines().collect();
    assert!(
        is_by_line || arguments[0] == "find" || lines.len() <= 1,
        "{arguments:?}"
    );
    for line in lines {
        let value: Value = serde_json::from_str(line).unwrap();
        let wrong: Vec<_> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{arguments:?}: {wrong:?} in {line}");
    }
}

/// Checks every command that a trace of any format answers.
fn check_all(sandbox: &Sandbox, trace: &str) {
    let commands: &[&[&str]] = &[
        &["info", trace],
        &["index", trace],
        &["list", trace, "--count", "200"],
        &["at", trace, "50%", "--regs", "--stack"],
        &["find", trace, "pc", "4"],
        &["find", trace, "next-external", "--all"],
        &["find", trace, "value", "1", "--all", "--limit", "20"],
        &["calltree", trace],
        &["profile", trace],
        &["flamegraph", trace],
        &["diff", trace, "10%", "20%"],
        &["effects", trace, "10", "20"],
        &["counts", trace],
        &["check", trace],
        &["threads", trace],
        &["tasks", trace],
        &["heat", trace],
        &["syscalls", trace],
    ];
    for arguments in commands {
        check(sandbox, arguments);
    }
}

#[test]
fn answers_about_tarmac_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let (trace, image) = (sandbox.fixture(OVERFLOW), overflow_image());
    check_all(&sandbox, &trace);
    check_all(&sandbox, &sandbox.fixture(AMP));
    let more: &[&[&str]] = &[
        &[
            "list", &trace, "--image", &image, "--lines", "--count", "20",
        ],
        &[
            "at", &trace, "end", "--mem", "sp:32", "--image", &image, "--stack", "--lines",
        ],
        &["find", &trace, "last-write", "x2"],
        &["find", &trace, "next-write", "x2", "--all", "--stack"],
        &["find", &trace, "text", "STRB", "--all"],
        &["why", &trace, "x2"],
        &["why", &trace, "x2", "--control", "--flags", "--address"],
        &[
            "why",
            &trace,
            "x0",
            "--at",
            "100",
            "--forward",
            "--limit",
            "5",
        ],
        &["calltree", &trace, "--image", &image, "--lines"],
        &["callinfo", &trace, "main", "--image", &image],
        &["effects", &trace, "--call", "1376"],
        &["diff", &trace, "1000", "1200"],
        &["vcd", &trace, "-o", "out.vcd"],
        &["truncate", &trace, "-o", "out.tarmac"],
        &["convert", &trace, "--to", "tarmac-es", "-o", "es.tarmac"],
    ];
    for arguments in more {
        check(&sandbox, arguments);
    }
    let tasks = sandbox.fixture("small/tasks.tarmac");
    check(&sandbox, &["tasks", &tasks]);
    check(&sandbox, &["tasks", &tasks, "--runs"]);
}

#[test]
fn answers_about_rst_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("rst/small.rst");
    check_all(&sandbox, &trace);
    check(&sandbox, &["list", &trace, "--records", "--count", "100"]);
    check(
        &sandbox,
        &["at", &trace, "300", "--mem", "phys::0x300801d6c:4"],
    );
    check(&sandbox, &["why", &trace, "%o0", "--at", "300"]);
    let packed = sandbox.fixture("rst/small.rz3.gz");
    check(
        &sandbox,
        &["convert", &packed, "--to", "rst", "-o", "plain.rst"],
    );
}

#[test]
fn answers_about_btrace_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("btrace/hello.btf");
    sandbox.fixture("btrace/hello.elf");
    check_all(&sandbox, &trace);
    check(&sandbox, &["list", &trace, "--records", "--count", "100"]);
    check(
        &sandbox,
        &["convert", &trace, "--to", "btrace", "-o", "copy.btf"],
    );
}

#[test]
fn answers_about_drmemtrace_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let mut names: Vec<_> = fs::read_dir(fixture_path("drmemtrace"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in names {
        let trace = sandbox.path(&name);
        copy_tree(&fixture_path("drmemtrace").join(&name), &trace);
        let trace = trace.to_str().unwrap();
        if name == "threads" {
            check_all(&sandbox, trace);
            check(&sandbox, &["find", trace, "marker", "syscall", "--all"]);
        }
        check(&sandbox, &["info", trace]);
        check(&sandbox, &["list", trace, "--records", "--count", "100"]);
        check(&sandbox, &["counts", trace]);
    }
}

#[test]
fn a_wrong_answer_does_not_fit() {
    let sandbox = Sandbox::new();
    let schema = sandbox.run(&["schema", "find"]).succeeds().out;
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let value = serde_json::json!({ "step": "12", "position": 13 });
    assert!(!validator.is_valid(&value));
    sandbox.run(&["schema", "man"]).ends_misspelt();
}

#[test]
fn info_names_the_version_of_the_output() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(
        (&info["schema"], &info["calls"]),
        (&1.into(), &72.into()),
        "{info}"
    );
}
