//! `stepback truncate`.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::cli::support::{AMP, OVERFLOW, Ran, Sandbox, fixture_path};

/// Returns three steps, then two rounds of a waiting loop of two steps. The bytes need not be
/// UTF-8.
fn hang() -> Vec<u8> {
    let mut trace = b"Tarmac Text Rev 3t\r\n".to_vec();
    let line = |time: usize, address: usize| {
        format!(
            "{time} clk IT ({time}) {address:08x} d503201f O EL1h_n : NOP ; \u{fc}\r\n{time} clk R X0 0000000000000005\r\n"
        )
    };
    trace.extend(line(0, 0x8000).replace("00005\r\n", "00004\r\n").bytes());
    (1..500).for_each(|time| trace.extend(line(time, 0x8004 + time % 2 * 4).bytes()));
    trace.push(0xff);
    trace
}

/// Returns the expected copy. It ends after the instruction of step 4, which is the second visit of
/// its address since the change in step 1.
fn kept(trace: &[u8]) -> &[u8] {
    let lines = trace
        .split_inclusive(|byte| *byte == b'\n')
        .take(1 + 2 * 4 + 1);
    &trace[..lines.map(<[u8]>::len).sum()]
}

fn piped(sandbox: &Sandbox, arguments: &[&str], input: &[u8]) -> (Ran, Vec<u8>) {
    let output = sandbox
        .command(arguments)
        .write_stdin(input)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        Ran {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        },
        output.stdout,
    )
}

#[test]
fn a_hang_is_cut_at_its_second_round() {
    let sandbox = Sandbox::new();
    let trace = hang();
    let path = sandbox.file("hang.tarmac", &trace);
    sandbox
        .run(&["truncate", &path, "-o", "cut.tarmac"])
        .succeeds()
        .says("cut after line 10")
        .says("0x8004");
    assert_eq!(fs::read(sandbox.path("cut.tarmac")).unwrap(), kept(&trace));
    assert!(!sandbox.path("hang.tarmac.sbi").exists());
}

#[test]
fn a_copy_that_fails_leaves_the_file_as_it_was() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("hang.tarmac", hang());
    let copy = sandbox.file("cut.tarmac", b"before");
    let empty = sandbox.file("empty.tarmac", b"");
    sandbox
        .run(&["truncate", &empty, "-o", "cut.tarmac"])
        .fails_with(&["empty.tarmac: "]);
    assert_eq!(fs::read(&copy).unwrap(), b"before");
    // Another run is writing a file of this name.
    let partial = sandbox.file("cut.tarmac.partial", b"other");
    sandbox
        .run(&["truncate", &path, "-o", "cut.tarmac"])
        .succeeds();
    assert_eq!(fs::read(&copy).unwrap(), kept(&hang()));
    assert_eq!(fs::read(partial).unwrap(), b"other");
}

#[test]
fn a_pipe_is_cut_like_a_file() {
    let sandbox = Sandbox::new();
    let trace = hang();
    for arguments in [
        &["truncate"][..],
        &["truncate", "-"],
        &["truncate", "-", "-o", "-"],
    ] {
        let (ran, out) = piped(&sandbox, arguments, &trace);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(out, kept(&trace));
        ran.says("standard input");
    }
}

#[test]
fn a_trace_without_a_hang_is_copied_whole() {
    let sandbox = Sandbox::new();
    for name in [
        "recurse.tiny.tarmac",
        "cm3.tiny.tarmac",
        "fp32.tiny.tarmac",
        "qsort.es.tiny.tarmac",
        OVERFLOW,
        AMP,
    ] {
        let trace = sandbox.fixture(name);
        sandbox
            .run(&["truncate", &trace, "-q", "-o", "copy"])
            .succeeds();
        assert_eq!(
            fs::read(sandbox.path("copy")).unwrap(),
            fs::read(fixture_path(name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn the_copy_is_described_as_json() {
    let sandbox = Sandbox::new();
    let trace = hang();
    let path = sandbox.file("hang.tarmac", &trace);
    let json = sandbox.json(&["truncate", &path, "-o", "cut.tarmac"]);
    let expected = serde_json::json!({
        "lines": 10, "bytes": kept(&trace).len(), "cut": {"line": 10, "reason": "polling", "pc": "0x8004"}, "warning_count": 0,
    });
    assert_eq!(json, expected);
    let whole = sandbox.json(&["truncate", &sandbox.fixture(AMP), "-o", "cut.tarmac"]);
    assert_eq!(
        (&whole["lines"], &whole["cut"]),
        (&serde_json::json!(3000), &serde_json::Value::Null)
    );
    sandbox.run(&["truncate", &path, "--json"]).ends_misspelt();
}

#[test]
fn a_line_that_cannot_be_read_is_copied_with_a_warning() {
    let sandbox = Sandbox::new();
    let text = "1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 nonsense\n2 clk R r1 0000000g\n";
    let trace = sandbox.file("a.tarmac", text);
    let ran = sandbox
        .run(&["truncate", &trace])
        .succeeds()
        .says("line 2, byte")
        .says("2 problems in the trace");
    assert_eq!(ran.out, text);
    let ran = sandbox
        .run(&["truncate", &trace, "-v"])
        .succeeds()
        .says("line 3, byte");
    assert_eq!(ran.out, text);
    assert_eq!(sandbox.run(&["truncate", &trace, "-q"]).succeeds().err, "");
}

#[test]
fn what_is_no_trace_is_refused() {
    let sandbox = Sandbox::new();
    let (ran, _) = piped(&sandbox, &["truncate"], b"");
    ran.fails_with(&["empty", "standard input"]);
    let (ran, _) = piped(&sandbox, &["truncate", "-"], b"\x1f\x8b\x08\0");
    ran.fails_with(&["gzip", "standard input"]);
    sandbox
        .run(&["truncate", "none.tarmac"])
        .fails_with(&["none.tarmac"]);
    sandbox.run(&["truncate", "."]).fails_with(&["directory"]);
    sandbox.file("prose", "Dear Sir,\n");
    sandbox
        .run(&["truncate", "prose", "-o", "copy"])
        .fails_with(&["prose"]);
    assert!(!sandbox.path("copy").exists());
}

#[test]
fn the_trace_is_never_overwritten() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let before = fs::read(&trace).unwrap();
    sandbox
        .run(&["truncate", &trace, "-o", &trace])
        .fails_with(&["overwrite", OVERFLOW]);
    if cfg!(target_os = "linux") {
        let input = fs::File::open(&trace).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        let output = command
            .args(["truncate", "-", "-o", &trace])
            .stdin(input)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
    }
    assert_eq!(fs::read(&trace).unwrap(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["truncate", &trace, "-o", "/dev/full"])
        .fails_with(&["could not be written", "/dev/full"]);
}

#[test]
fn a_simulator_that_hangs_is_left_as_soon_as_that_shows() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    let mut child = command
        .arg("truncate")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // The input is endless; the closed pipe ends it.
    let line = b"1 clk IT (1) 00008000 d503201f O EL1h_n : WFE\n";
    while input.write_all(line).is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stdout),
        (Some(0), line.repeat(2))
    );
}

#[test]
fn a_range_of_steps_is_copied_unchanged() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let whole = fs::read(&trace).unwrap();
    sandbox
        .run(&["cut", &trace, "start", "end", "-o", "all.tarmac"])
        .succeeds();
    assert_eq!(fs::read(sandbox.path("all.tarmac")).unwrap(), whole);
    // Two parts that meet are the whole.
    let part = |from: &str, to: &str| sandbox.run(&["cut", &trace, from, to]).succeeds().out;
    let joined = part("0", "100") + &part("100", "end");
    assert_eq!(joined.as_bytes(), whole);
    sandbox
        .run(&["cut", &trace, "100", "100"])
        .ends_misspelt()
        .says("no step lies between");
    sandbox
        .run(&["cut", &trace, "1", "2", "--json"])
        .ends_misspelt();
}
