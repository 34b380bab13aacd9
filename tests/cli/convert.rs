//! `stepback convert`.

use std::fs;

use crate::cli::support::{OVERFLOW, Sandbox, text};

/// Checks that a trace in another style gives the same answers.
#[track_caller]
fn check(fixture: &str, to: &str) {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(fixture);
    let target = text(&sandbox.path("other.tarmac"));
    sandbox
        .run(&["convert", &trace, "--to", to, "-o", &target])
        .succeeds();
    for question in [
        &["at", "end", "--json"][..],
        &["at", "50%", "--json"],
        &["calltree", "--json"],
        &["find", "last-write", "sp", "--json"],
    ] {
        let answer = |trace: &str| {
            let arguments: Vec<&str> = [&question[..1], &[trace], &question[1..]].concat();
            let ran = sandbox.run(&arguments).succeeds();
            // Only the line numbers differ.
            let lines = ran.out.split(',').filter(|part| !part.contains("\"line\""));
            lines.collect::<Vec<_>>().join(",")
        };
        assert_eq!(
            answer(&trace),
            answer(&target),
            "{fixture} {to} {question:?}"
        );
    }
}

#[test]
fn a_trace_in_the_other_style_gives_the_same_answers() {
    check(OVERFLOW, "tarmac-es");
    check("qsort.es.tiny.tarmac", "tarmac-fm");
    check("cm3.tiny.tarmac", "es");
    check("amp.head.tarmac", "es");
    check("fp32.tiny.tarmac", "fm");
}

#[test]
fn what_is_lost_is_counted() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "a.tarmac",
        "1 clk IT (1) 00001000:000000001000 e1a00000 A svc : NOP\n",
    );
    let ran = sandbox.run(&["convert", &trace, "--to", "es"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        ran.out,
        "Tarmac Text Rev 3t\n          1 clk ES  (00001000:e1a00000) A svc:         NOP\n"
    );
    assert!(
        ran.err
            .contains("a.tarmac: tarmac-es cannot represent 1 physical address; left out"),
        "{}",
        ran.err
    );
    let target = text(&sandbox.path("b.tarmac"));
    let json = sandbox.json(&["convert", &trace, "--to", "es", "-o", &target]);
    assert_eq!(json["physical_addresses_lost"], 1);
}

#[test]
fn the_trace_is_never_overwritten() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let before = fs::read(&trace).unwrap();
    sandbox
        .run(&["convert", &trace, "--to", "es", "-o", &trace])
        .fails_with(&["overwrite the trace"]);
    assert_eq!(fs::read(&trace).unwrap(), before);
    assert_eq!(
        sandbox
            .run(&["convert", &trace, "--to", "es", "--json"])
            .code,
        Some(2)
    );
    assert_eq!(
        sandbox.run(&["convert", &trace, "--to", "rst"]).code,
        Some(2)
    );
    assert_eq!(sandbox.run(&["convert", &trace]).code, Some(2));
}
