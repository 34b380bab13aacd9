//! Answers from a part of a trace, and listing a trace as it grows.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cli::support::{OVERFLOW, OVERFLOW_STEPS, Sandbox};

const TWO_STEPS: &str = "\
1 clk IT (0) 00001000 d2800020 O EL1h_n : MOV x0,#1
1 clk R X0 0000000000000001
2 clk IT (1) 00001004 d2800042 O EL1h_n : MOV x2,#2
2 clk R X2 0000000000000002
";

fn step(number: u64) -> String {
    format!(
        "{0} clk IT ({number}) 00001008 d503201f O EL1h_n : NOP\n",
        number + 1
    )
}

#[test]
fn a_trace_that_is_indexed_within_a_second_is_answered_exactly() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["info", &trace, "--so-far"])
        .succeeds()
        .prints("1,763");
    assert!(
        !ran.err.contains("so far") && !ran.out.contains("so far"),
        "{ran:?}"
    );
    let info = sandbox.json(&["info", &trace, "--so-far"]);
    assert_eq!(
        (&info["steps"], &info["index"]["complete"]),
        (&OVERFLOW_STEPS.into(), &true.into())
    );
    assert!(info.get("so_far").is_none());
}

#[test]
fn so_far_says_what_it_does_not_go_with() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["info", &trace, "--so-far", "--no-index"])
        .ends_misspelt();
    sandbox
        .run(&["list", &trace, "--so-far", "--follow"])
        .ends_misspelt();
}

#[test]
fn a_list_that_follows_goes_on_with_what_is_added() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", TWO_STEPS);
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command
        .args(["list", "--follow", "--count", "5", &trace])
        .env("HOME", sandbox.path("home"));
    let mut program = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(lines.next().unwrap().contains("00001000"));
    // The last step also appears, with its effects.
    assert!(lines.next().unwrap().contains("x2=0x0000000000000002"));
    let mut file = File::options()
        .append(true)
        .open(Path::new(&trace))
        .unwrap();
    for number in 2..6 {
        file.write_all(step(number).as_bytes()).unwrap();
        if number < 5 {
            assert!(lines.next().unwrap().contains("NOP"));
        }
    }
    assert_eq!(lines.next(), None);
    assert!(program.wait().unwrap().success());
    assert_eq!(sandbox.json(&["info", &trace])["steps"], 6);
}

#[test]
fn a_list_that_follows_begins_where_it_is_reported() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["list", &trace, "--follow", "--from", "1761", "--count", "2"])
        .succeeds();
    assert_eq!(ran.out.lines().count(), 2);
    assert_eq!(
        ran.out,
        sandbox.run(&["list", &trace, "--from", "1761"]).out
    );
}

#[test]
fn a_compressed_trace_is_not_followed() {
    let sandbox = Sandbox::new();
    let packed = zstd::encode_all(TWO_STEPS.as_bytes(), 0).unwrap();
    let trace = sandbox.file("a.tarmac.zst", packed);
    sandbox
        .run(&["list", &trace, "--follow"])
        .fails_with(&["a compressed trace cannot be followed"]);
}

/// Runs if `STEPBACK_TRACES` names a folder with `lua.medium.tarmac`.
#[test]
fn real_traces_are_answered_from_a_part_and_the_next_run_goes_on() {
    let Some(folder) = std::env::var_os("STEPBACK_TRACES") else {
        return eprintln!("skipped: no STEPBACK_TRACES");
    };
    let trace = Path::new(&folder).join("lua.medium.tarmac");
    if !trace.exists() {
        return eprintln!("skipped: no {}", trace.display());
    }
    let sandbox = Sandbox::new();
    let (trace, index) = (
        trace.display().to_string(),
        sandbox.path("x.sbi").display().to_string(),
    );
    let ask = |options: &[&str]| {
        let ran = sandbox.run(
            &[
                &[
                    "info",
                    &trace,
                    "--json",
                    "--index",
                    &index,
                    "--threads",
                    "1",
                ],
                options,
            ]
            .concat(),
        );
        let ran = ran.succeeds();
        (
            serde_json::from_str::<serde_json::Value>(&ran.out).unwrap(),
            ran.err,
        )
    };
    let (first, said) = ask(&["--so-far"]);
    if first["index"]["complete"] == true {
        return eprintln!("skipped: this machine indexes the whole trace within a second");
    }
    assert!(
        said.contains("so far: the first") && first["so_far"]["steps"] == first["steps"],
        "{said} {first}"
    );
    let (second, _) = ask(&["--so-far"]);
    assert!(
        second["steps"].as_u64() >= first["steps"].as_u64(),
        "{second}"
    );
    let (whole, _) = ask(&[]);
    assert_eq!(whole["index"]["complete"], true);
    assert!(whole["steps"].as_u64() > first["steps"].as_u64());
}
