//! Inputs that are not traces, or not complete ones.

use std::fs;
use std::fs::File;

use crate::cli::support::{OVERFLOW, Sandbox, fixture_path, text};

const STEP: &str = "1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000001\n";

#[track_caller]
fn check_refused(name: &str, content: impl AsRef<[u8]>, part: &str) {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(name, content);
    for arguments in [
        &["info", &trace][..],
        &["index", &trace],
        &["list", &trace, "--json"],
    ] {
        sandbox.run(arguments).fails_with(&[part, name]);
    }
    let left: Vec<_> = fs::read_dir(sandbox.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, [name], "nothing is left behind");
}

#[test]
fn what_is_no_trace_is_refused_by_name() {
    check_refused("empty.tarmac", "", "empty");
    check_refused(
        "packed.tarmac.gz",
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3],
        "gzip",
    );
    check_refused(
        "rubbish.tarmac",
        (0..=255).cycle().take(100_000).collect::<Vec<u8>>(),
        "binary",
    );
    check_refused(
        "prose.txt",
        "It was a dark and stormy night;\nthe rain fell in torrents.\n",
        "is this a trace",
    );
    check_refused(
        "app.elf",
        fs::read(crate::cli::support::overflow_image()).unwrap(),
        "ELF",
    );
}

#[test]
fn what_is_no_file_is_refused_by_name() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["info", "none.tarmac"])
        .fails_with(&["no such file", "none.tarmac"]);
    fs::create_dir(sandbox.path("folder.tarmac")).unwrap();
    sandbox
        .run(&["info", "folder.tarmac"])
        .fails_with(&["directory", "folder.tarmac"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_at_once() {
    let sandbox = Sandbox::new();
    let made = std::process::Command::new("mkfifo")
        .arg(sandbox.path("pipe"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("left out: no mkfifo here");
        return;
    }
    sandbox.run(&["info", "pipe"]).fails_with(&["pipe", "save"]);
    sandbox
        .run(&["info", "/dev/null"])
        .fails_with(&["/dev/null"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_refused_by_name() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    fs::set_permissions(&trace, fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(&trace).is_ok() {
        println!("left out: this user may read everything");
        return;
    }
    sandbox
        .run(&["info", &trace])
        .fails_with(&["may not be read", OVERFLOW]);
}

#[test]
fn zeros_are_refused_quickly() {
    let sandbox = Sandbox::new();
    let trace = sandbox.path("zeros.tarmac");
    File::create(&trace).unwrap().set_len(64 << 20).unwrap();
    sandbox
        .run(&["info", &text(&trace)])
        .fails_with(&["binary", "zeros.tarmac"]);
}

#[test]
fn zeros_after_a_step_cost_a_warning() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("zeros.tarmac", STEP);
    File::options()
        .append(true)
        .open(&trace)
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(info["steps"], 1);
    assert!(info["warnings"]["count"].as_u64() >= Some(1));
    assert_eq!(info["warnings"]["first"][0]["line"], 3);
}

#[test]
fn a_line_of_ten_megabytes_costs_that_line() {
    let sandbox = Sandbox::new();
    let next = STEP.replace("1 clk", "2 clk").replace("8000", "8004");
    let trace = sandbox.file(
        "long.tarmac",
        format!("{STEP}{}\n{next}", "x".repeat(10 << 20)),
    );
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(
        (info["steps"].as_u64(), info["warnings"]["count"].as_u64()),
        (Some(2), Some(1))
    );
    assert_eq!(info["warnings"]["first"][0]["line"], 3);
}

#[test]
fn a_trace_cut_in_the_middle_of_a_line_is_read_up_to_there() {
    let sandbox = Sandbox::new();
    let whole = fs::read(fixture_path(OVERFLOW)).unwrap();
    // Cuts the opcode of step 1762 in the middle (line 3658).
    let cut = whole
        .windows(4)
        .rposition(|window| window == b"d63f")
        .unwrap()
        + 2;
    let trace = sandbox.file("cut.tarmac", &whole[..cut]);
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(info["steps"], 1762);
    assert_eq!(info["warnings"]["first"][0]["line"], 3658);
    sandbox
        .run(&["at", &trace, "end"])
        .succeeds()
        .says("line 3658");
}

#[test]
fn rubbish_between_steps_costs_warnings() {
    let sandbox = Sandbox::new();
    let mut content = STEP.as_bytes().to_vec();
    content.extend((0..=255u8).cycle().take(10_000));
    content.push(b'\n');
    content.extend(STEP.replace("1 clk", "2 clk").bytes());
    let trace = sandbox.file("mixed.tarmac", content);
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(info["steps"], 2);
    assert!(info["warnings"]["count"].as_u64() >= Some(1));
}

#[test]
fn a_format_that_was_named_is_not_detected() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("prose.txt", "no trace at all\n");
    let info = sandbox.json(&["info", &trace, "--format", "tarmac"]);
    assert_eq!(info["steps"], 0);
    sandbox
        .run(&["at", &trace, "end", "--format", "tarmac"])
        .succeeds();
    sandbox
        .run(&["calltree", &trace, "--format", "tarmac"])
        .succeeds();
}
