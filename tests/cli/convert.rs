//! `stepback convert`.

use std::collections::BTreeSet;
use std::fs;

use crate::cli::support::{OVERFLOW, Sandbox, fixture_path, text};

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

#[test]
fn a_file_that_is_written_is_named_with_its_size() {
    let sandbox = Sandbox::new();
    let [trace, rst] =
        ["overflow_bare.tiny.tarmac", "rst/small.rst"].map(|name| sandbox.fixture(name));
    let target = sandbox.path("out").display().to_string();
    let cases = [
        (vec!["convert", &trace, "--to", "tarmac-es"], "tarmac-es, "),
        (vec!["convert", &rst, "--to", "rst"], " records, rst, 85."),
        (vec!["truncate", &trace], " lines, "),
        (vec!["cut", &trace, "10", "20"], "10 steps copied"),
    ];
    for (arguments, words) in cases {
        let file = [&arguments[..], &["-o", &target]].concat();
        let err = sandbox.run(&file).succeeds().says(words).err;
        let notes: Vec<_> = err.lines().filter(|line| line.contains(words)).collect();
        let is_copy = arguments[0] != "cut";
        assert_eq!(notes.len(), 1, "{err}");
        assert_eq!(
            notes[0].starts_with(&format!("note: {target}: ")),
            is_copy,
            "{err}"
        );
        assert_eq!(
            sandbox
                .run(&[&file[..], &["--quiet"]].concat())
                .succeeds()
                .err,
            ""
        );
    }
    // Standard output has no name.
    assert_eq!(
        sandbox
            .command(&["truncate", &trace])
            .output()
            .unwrap()
            .stderr,
        b""
    );
}

/// Returns the items of each line of a Tenet text as a sorted set.
fn tenet_lines(text: &str) -> Vec<BTreeSet<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn tenet_text_is_written_as_it_was_read() {
    for name in ["qmix.x86_64.tenet", "qmix.aarch64.tenet"] {
        let sandbox = Sandbox::new();
        let packed = fixture_path(&format!("logs/{name}.log.zst"));
        let original = zstd::decode_all(&*fs::read(packed).unwrap()).unwrap();
        let original = String::from_utf8(original).unwrap();
        let trace = sandbox.file("a.log", &original);
        let ran = sandbox
            .run(&["convert", &trace, "--to", "tenet"])
            .succeeds();
        assert_eq!(tenet_lines(&ran.out), tenet_lines(&original), "{name}");
    }
}

#[test]
fn a_thread_of_any_trace_is_written_for_tenet() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("amp.head.tarmac");
    sandbox
        .run(&["convert", &trace, "--to", "tenet"])
        .fails_with(&["choose one with --thread: cpu0, cpu1"]);
    let target = text(&sandbox.path("cpu1.log"));
    let summary = sandbox.json(&[
        "convert", &trace, "--to", "tenet", "--thread", "cpu1", "-o", &target,
    ]);
    assert_eq!(
        (&summary["lines"], &summary["left_out"]),
        (&807.into(), &0.into())
    );
    let info = sandbox.json(&["info", &target]);
    assert_eq!(
        (&info["format"], &info["steps"]),
        (&"tenet".into(), &807.into())
    );
    // A line states the effects of the step before, so those of the last step are not in the file.
    let of = |trace: &str, more: &[&str]| {
        sandbox.json(&[&["at", trace], more].concat())["registers"]["x19"].clone()
    };
    let expected = of(&trace, &["end", "--thread", "cpu1"]);
    assert_eq!(of(&target, &["806"]), expected);
}
