//! The options that all subcommands share.

use std::fs;

use serde_json::Value;

use crate::cli::support::{OVERFLOW, Ran, Sandbox, overflow_image, text};

/// Every subcommand that answers on standard output, with its required arguments besides the trace.
const QUESTIONS: [&[&str]; 9] = [
    &["info"],
    &["list"],
    &["at", "50%"],
    &["find", "last-write", "x0"],
    &["calltree"],
    &["callinfo", "0x80000000"],
    &["profile"],
    &["flamegraph"],
    &["diff", "10", "20"],
];
/// Subcommands that write a file.
const COPIES: [&[&str]; 2] = [&["vcd", "--no-date"], &["truncate"]];

fn all() -> impl Iterator<Item = &'static [&'static str]> {
    QUESTIONS.into_iter().chain([&["index"][..]]).chain(COPIES)
}

fn ask(sandbox: &Sandbox, trace: &str, question: &[&str], options: &[&str]) -> Ran {
    sandbox.run(&[&question[..1], &[trace], &question[1..], options].concat())
}

#[test]
fn answers_go_to_a_file_and_are_the_same_there() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let target = text(&sandbox.path("answer"));
    for question in QUESTIONS.into_iter().chain(COPIES) {
        let printed = ask(&sandbox, &trace, question, &["-o", "-"]).succeeds();
        let written = ask(&sandbox, &trace, question, &["-o", &target, "-q"]).succeeds();
        assert_eq!(
            (written.out.as_str(), written.err.as_str()),
            ("", ""),
            "{question:?}"
        );
        assert!(
            fs::read_to_string(&target).unwrap() == printed.out && !printed.out.is_empty(),
            "{question:?}"
        );
    }
}

#[test]
fn answers_are_json_on_request() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for question in all() {
        let is_copy = COPIES.contains(&question);
        let options: &[&str] = if is_copy {
            &["--json", "-o", "copy"]
        } else {
            &["--json"]
        };
        let ran = ask(&sandbox, &trace, question, options).succeeds();
        let values: Vec<Value> = ran
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(!values.is_empty(), "{question:?}");
    }
}

#[test]
fn every_way_to_open_the_trace_is_known_everywhere() {
    let image = overflow_image();
    let options = [
        "--index",
        "kept.sbi",
        "--force-index",
        "--threads",
        "1",
        "--format",
        "tarmac",
        "--li",
    ];
    let more = [
        "--image",
        &image,
        "--load-offset",
        "0",
        "-v",
        "--show-progress-meter",
        "-o",
        "answer",
    ];
    for question in all() {
        let sandbox = Sandbox::new();
        let trace = sandbox.fixture(OVERFLOW);
        ask(&sandbox, &trace, question, &[&options[..], &more].concat()).succeeds();
        let is_indexed = question[0] != "truncate";
        assert_eq!(
            sandbox.path("kept.sbi").exists(),
            is_indexed,
            "{question:?}"
        );
        assert!(
            !sandbox.path(&format!("{OVERFLOW}.sbi")).exists(),
            "{question:?}"
        );
        if is_indexed {
            ask(&sandbox, &trace, question, &["--no-index", "-o", "-"])
                .fails_with(&["no index", OVERFLOW]);
            ask(
                &sandbox,
                &trace,
                question,
                &["--no-index", "--index", "kept.sbi", "-o", "answer"],
            )
            .succeeds();
        }
    }
}

#[test]
fn every_error_names_the_file() {
    let sandbox = Sandbox::new();
    for question in all() {
        ask(&sandbox, "none.tarmac", question, &[]).fails_with(&["error: none.tarmac: "]);
        let empty = sandbox.file("empty.tarmac", "");
        let begin = format!("error: {empty}: ");
        ask(&sandbox, &empty, question, &[]).fails_with(&[&begin, "empty"]);
    }
    let trace = sandbox.fixture(OVERFLOW);
    for question in [
        &["at", "99999999"][..],
        &["find", "last-write", "x99"],
        &["list", "--thread", "cpu7"],
        &["list", "--records"],
    ] {
        let ran = ask(&sandbox, &trace, question, &[]);
        let error = ran.err.lines().find(|line| line.starts_with("error: "));
        assert!(
            error.is_some_and(|error| error.starts_with(&format!("error: {trace}: "))),
            "{question:?}: {ran:?}"
        );
    }
}

#[test]
fn every_command_says_the_same_about_the_trace_with_verbose() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let image = overflow_image();
    sandbox.run(&["index", &trace]).succeeds();
    for question in QUESTIONS {
        let plain = ask(&sandbox, &trace, question, &["--image", &image]).succeeds();
        let verbose = ask(&sandbox, &trace, question, &["--image", &image, "-v"]).succeeds();
        let more: Vec<_> = verbose
            .err
            .lines()
            .filter(|line| !plain.err.contains(line))
            .collect();
        let [format, index, program] = &more[..] else {
            panic!("{question:?}: {more:?}")
        };
        assert!(
            format.contains("tarmac, 1,763 steps, 1 thread")
                && index.contains(".sbi, ")
                && index.ends_with("up to date")
                && program.ends_with("fits 387 executed instructions"),
            "{question:?}: {more:?}"
        );
    }
}
