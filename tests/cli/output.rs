//! Destinations of answers.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use crate::cli::support::{OVERFLOW, Sandbox, text};

#[test]
fn an_answer_goes_to_the_file_that_was_requested() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let target = text(&sandbox.path("list.txt"));
    let printed = sandbox.run(&["list", &trace, "--json"]).succeeds();
    let written = sandbox
        .run(&["list", &trace, "--json", "-o", &target])
        .succeeds();
    assert_eq!(written.out, "");
    assert_eq!(fs::read_to_string(&target).unwrap(), printed.out);
}

#[test]
fn an_answer_that_fails_leaves_the_file_as_it_was() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let target = sandbox.file("list.txt", "before");
    let files = || fs::read_dir(sandbox.path("")).unwrap().count();
    sandbox.run(&["index", &trace]).succeeds();
    let before = files();
    sandbox
        .run(&["find", &trace, "last-write", "x99", "-o", &target])
        .ends_misspelt();
    assert_eq!(fs::read_to_string(&target).unwrap(), "before");
    assert_eq!(files(), before);
    sandbox.run(&["list", &trace, "-o", &target]).succeeds();
    assert!(fs::read_to_string(&target).unwrap().len() > 100_000);
    assert_eq!(files(), before);
}

#[test]
fn no_answer_goes_over_the_trace_or_its_index() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let before = fs::read(&trace).unwrap();
    sandbox
        .run(&["info", &trace, "-o", &trace])
        .fails_with(&["overwrite", OVERFLOW]);
    sandbox
        .run(&["info", &trace, "-o", &format!("{trace}.sbi")])
        .fails_with(&["overwrite", ".sbi"]);
    sandbox
        .run(&["info", &trace, "--index", &trace])
        .fails_with(&["overwrite the trace", OVERFLOW]);
    sandbox
        .run(&["info", &trace, "--index", &trace, "--force-index"])
        .fails_with(&["overwrite the trace"]);
    assert_eq!(fs::read(&trace).unwrap(), before);
}

#[test]
fn a_file_that_cannot_be_created_is_named() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["info", &trace, "-o", "nowhere/report"])
        .fails_with(&["nowhere/report"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["list", &trace, "-o", "/dev/full"])
        .fails_with(&["could not be written", "/dev/full"]);
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for question in [
        &["list", &trace, "--json"][..],
        &["find", &trace, "text", ".", "--all", "--json"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        command
            .args(question)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // One byte is enough; the rest of the answer is larger than any pipe.
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (
                output.status.code(),
                String::from_utf8(output.stderr).unwrap().as_str()
            ),
            (Some(0), "")
        );
    }
}
