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
    let steps: String = (0..50_000)
        .map(|step| {
            format!(
                "{step} clk IT ({step}) {:08x} 46c0 T thread : NOP\n",
                2 * step
            )
        })
        .collect();
    input.write_all(steps.as_bytes()).unwrap();
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
