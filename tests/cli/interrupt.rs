//! Interrupted commands leave no unfinished output.

#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::cli::support::{Sandbox, text};

fn names(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path("")).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Returns a trace of instructions that do nothing.
fn steps(count: u64) -> String {
    let step = |step| {
        format!(
            "{step} clk IT ({step}) {:08x} 46c0 T thread : NOP\n",
            2 * step
        )
    };
    (0..count).map(step).collect()
}

/// Starts a copy that waits for more input, and sends it a signal. Returns the number of the signal
/// that ended it.
fn ended_by(sandbox: &Sandbox, target: &str, signal: &str) -> Option<i32> {
    let mut copy = sandbox
        .process(&["truncate", "-", "-o", target])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = copy.stdin.take().unwrap();
    // More than the program reads before it begins to write.
    input.write_all(steps(50_000).as_bytes()).unwrap();
    let is_begun = || names(sandbox).iter().any(|name| name.ends_with(".partial"));
    let tries = (0..4000).take_while(|_| !is_begun());
    tries.for_each(|_| sleep(Duration::from_millis(5)));
    assert!(is_begun());
    let status = Command::new("kill")
        .args([signal, &copy.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
    copy.wait().unwrap().signal()
}

#[test]
fn an_interrupted_copy_leaves_no_file() {
    let sandbox = Sandbox::new();
    let target = text(&sandbox.path("short.tarmac"));
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        assert_eq!(ended_by(&sandbox, &target, signal), Some(number));
        assert_eq!(names(&sandbox), [] as [&str; 0], "{signal}");
    }
}

#[test]
fn an_interrupted_copy_leaves_the_file_that_was_there() {
    let sandbox = Sandbox::new();
    let target = sandbox.file("short.tarmac", "before");
    assert_eq!(ended_by(&sandbox, &target, "-TERM"), Some(15));
    assert_eq!(names(&sandbox), ["short.tarmac"]);
    assert_eq!(fs::read_to_string(&target).unwrap(), "before");
}

#[test]
fn an_interrupted_export_leaves_no_dataset() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", steps(400_000));
    sandbox.run(&["index", &trace]).succeeds();
    let mut export = sandbox
        .process(&[
            "export",
            &trace,
            "--parquet",
            "d",
            "--sorted",
            "--threads",
            "1",
        ])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let dataset = sandbox.path("d");
    let is_begun = || {
        let mut entries = fs::read_dir(&dataset).into_iter().flatten();
        entries.any(|entry| entry.unwrap().path().join("steps").exists())
    };
    let tries = (0..4000).take_while(|_| !is_begun());
    tries.for_each(|_| sleep(Duration::from_millis(5)));
    assert!(is_begun());
    let status = Command::new("kill")
        .args(["-INT", &export.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(export.wait().unwrap().signal(), Some(2));
    assert_eq!(fs::read_dir(&dataset).unwrap().count(), 0, "{dataset:?}");
}
